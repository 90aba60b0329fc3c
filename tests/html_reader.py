"""Pages as a browser's parser sees them."""

import re
from html.parser import HTMLParser


class Reader(HTMLParser):
    """The tags of a page with the text that directly follows each."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self._open = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open = True
        self.tags.append((tag, dict(attrs)))
        self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._open = False

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts[-1] += data

    def raw(self, tag: str) -> list[str]:
        """The text after each tag of a kind."""
        return [text for (name, _), text in zip(self.tags, self.texts, strict=True) if name == tag]

    def inside(self, tag: str) -> list[str]:
        """The text after each tag of a kind, without white space around it."""
        return [text.strip() for text in self.raw(tag)]

    def scripts(self) -> list[str]:
        """What a browser would run."""
        parts = zip(self.tags, self.texts, strict=True)
        return [text for (name, attributes), text in parts if name == "script" and not attributes]

    def data(self, ident: str) -> str:
        """The text of the element with an id."""
        parts = zip(self.tags, self.texts, strict=True)
        [text] = [text for (_, attributes), text in parts if attributes.get("id") == ident]
        return text


def policy(text: str) -> dict[str, list[str]]:
    """The content security policy of a page, by directive."""
    [content] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    return {name: values for name, *values in (part.split() for part in content.split(";"))}


def outside_references(text: str) -> list[str]:
    """Whatever in a page could make a browser ask for something."""
    wrong = re.findall(r"url\(|@import|fetch\(|XMLHttpRequest|https?:|eval\(|innerHTML", text)
    for tag, attributes in Reader(text).tags:
        wrong += [
            f"{tag} {name}"
            for name in ("src", "srcset", "action", "style", "onclick")
            if name in attributes
        ]
        if attributes.get("href") not in (None, "data:,"):
            wrong.append(f"{tag} href={attributes['href']}")
    return wrong
