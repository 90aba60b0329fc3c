"""The plug-ins: neighbors as positives of any base method that takes pairs."""
