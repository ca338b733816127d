"""Charts as SVG, rendered on the server: scales, marks, and charts with a description and a table.

Imports no other package of the project.
"""
