"""Tables and figures of the paper and of a study beyond it, from trainings to files."""
