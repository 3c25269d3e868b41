"""Figures as the report embeds them: small enough for one file, sharp at their natural size."""

from __future__ import annotations

import base64
from io import BytesIO
from pathlib import Path

from PIL import Image

# Figures are saved with two pixels for each pixel of a page; see savefig.dpi in `replication.shared.figures`.
DENSITY = 2
COLOURS = 32
# Pixels across the picture of a paper on the first screen.
SMALL = 360


def picture(path: str | Path, largest: int | None = None) -> dict[str, str | int]:
    """A figure, reduced to its natural size and to a palette: data URL, width and height in pixels of the page."""
    with Image.open(path) as opened:
        full = Image.new("RGB", opened.size, "white")
        full.paste(opened, mask=opened.getchannel("A") if "A" in opened.getbands() else None)
    shown = full.reduce(DENSITY) if min(full.size) > DENSITY else full
    if largest is not None and shown.width > largest:
        shown = shown.resize((largest, max(1, round(shown.height * largest / shown.width))), Image.Resampling.LANCZOS)
    buffer = BytesIO()
    shown.quantize(palette=_palette(shown), dither=Image.Dither.NONE).save(buffer, "PNG")
    url = f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"
    return {"url": url, "width": shown.width, "height": shown.height}


def _palette(image: Image.Image) -> Image.Image:
    """Colours for an image in which each counts by the root of its pixels: those of thin lines stay what they are."""
    counts = image.getcolors(image.width * image.height)
    flat = b"".join(bytes(colour) * round(n**0.5) for n, colour in counts)
    palette = Image.frombytes("RGB", (len(flat) // 3, 1), flat).quantize(
        COLOURS - 1, kmeans=2, dither=Image.Dither.NONE
    )
    # The background is a mean of light colours otherwise.
    palette.putpalette([255, 255, 255, *palette.getpalette()])
    return palette
