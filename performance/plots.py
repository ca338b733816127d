"""Log–log line plots as plain SVG, for docs/."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

Points = Sequence[tuple[float, float]]
_WIDTH, _HEIGHT, _LEFT, _TOP, _INNER_W, _INNER_H = 320, 250, 52, 34, 240, 160


def log_log(title: str, x_name: str, y_name: str, lines: Mapping[str, Points]) -> str:
    """One panel, ``<g>`` of 320 × 250 units; each line is labelled at its end."""
    xs = [math.log10(x) for points in lines.values() for x, _ in points]
    ys = [math.log10(y) for points in lines.values() for _, y in points]
    x0, x1, y0, y1 = min(xs), max(xs), math.floor(min(ys)), math.ceil(max(ys))
    y1 = max(y1, y0 + 1)

    def place(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - x0) / ((x1 - x0) or 1)
        up = (math.log10(y) - y0) / (y1 - y0)
        return _LEFT + across * _INNER_W, _TOP + (1 - up) * _INNER_H

    parts = [f'<text x="{_LEFT}" y="18" font-weight="bold">{escape(title)}</text>']
    for power in range(int(y0), int(y1) + 1):
        _, y = place(10**x0, 10.0**power)
        parts.append(f'<path d="M{_LEFT} {y:.1f}H{_LEFT + _INNER_W}" stroke="#ccc"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
    for x in sorted({x for points in lines.values() for x, _ in points}):
        at, _ = place(x, 10.0**y0)
        label = f"{x / 1e6:g} M" if x >= 1e6 else f"{x / 1e3:g} k" if x >= 1e4 else f"{x:g}"
        parts.append(f'<text x="{at:.1f}" y="{_TOP + _INNER_H + 16}" text-anchor="middle">{label}</text>')
    for i, (name, points) in enumerate(lines.items()):
        colour = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")[i % 4]
        path = "L".join("{:.1f} {:.1f}".format(*place(*point)) for point in points)
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        x, y = place(*points[-1])
        parts.append(f'<text x="{x:.1f}" y="{y - 6:.1f}" fill="{colour}" text-anchor="end">{escape(name)}</text>')
    parts.append(f'<text x="{_LEFT + _INNER_W}" y="{_TOP + _INNER_H + 34}" text-anchor="end">{escape(x_name)}</text>')
    parts.append(f'<text x="{_LEFT - 44}" y="{_TOP - 4}">{escape(y_name)}</text>')
    return "".join(parts)


def page(panels: Sequence[str], description: str) -> str:
    """Panels side by side, three per row."""
    rows = -(-len(panels) // 3)
    placed = "".join(
        f'<g transform="translate({i % 3 * _WIDTH} {i // 3 * _HEIGHT})">{panel}</g>' for i, panel in enumerate(panels)
    )
    size = f'viewBox="0 0 {3 * _WIDTH} {rows * _HEIGHT}"'
    style = 'font-family="system-ui, sans-serif" font-size="11" fill="#222"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}><title>{escape(description)}</title>'
        f'<rect width="100%" height="100%" fill="#fff"/>{placed}</svg>\n'
    )


def exponent(points: Points) -> float:
    """Slope of the least-squares line in log–log."""
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / sum((x - mean_x) ** 2 for x in xs)
