"""Charts as SVG, made on the server: scales, marks, and charts with words and a table. Imports nothing else of ours."""
