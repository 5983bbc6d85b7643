opts plot_opts
member struct ec_picture p

fields own
kind str KIND : line, scatter, bars, stack, box, heat, roofline, or a recipe of --list
table str FILE.csv : table to draw; - reads standard input
out str FILE : picture to write: .svg or .png; default: SVG on standard output
list bool : name the recipes
+EC_FIELDS_FORMS struct ec_forms forms

fields column
x str COLUMN @p.x : column of the x axis, or the labels of bars and boxes
y str COLUMN,... @p.y : column of the y axis; several columns are several series
group str COLUMN,... @p.group : columns that form groups: a series for each combination of their
    cells
lo str COLUMN @p.lo : column with the lower ends of bands and error bars
hi str COLUMN @p.hi : column with the upper ends
label str COLUMN @p.label : column with the labels of points
unit str END @p.unit : unit if the column names have none, such as ns, ms, s, bytes, frac,
    images_per_s
where str COLUMN=PATTERN,... @p.where : draw only rows with these cells

fields look
log str AXES : logarithmic axes: x, y, xy or none
from_zero bool @p.from_zero : start the y axis at zero
identity bool @p.percent_bands : scatter: the line y = x, +-20 % beside it, and R2
reference double VALUE @p.reference : draw a horizontal line at this value
reference_label str TEXT @p.reference_label : what that line is called
title str TEXT @p.title : title of the picture
subtitle str TEXT @p.subtitle : line under the title
note str TEXT @p.note : line under the picture
x_title str TEXT @p.x_title : title of the x axis
y_title str TEXT @p.y_title : title of the y axis
width int PX =760 240..20000 @p.width_px : width; PNG has twice as many pixels
height int PX 200..20000 @p.height_px : height; default: what the kind needs

command plot : draw tables as SVG or PNG: curves, bars, scatter plots, rooflines
run run
usage RECIPE FILE.csv [--out FILE.svg|FILE.png]
usage KIND FILE.csv --x COLUMN --y COLUMN[,COLUMN...] [--group COLUMN] [--out FILE]
usage --list [--json | --csv | --markdown]
positional kind table
writes out
group Options : own
group Columns : column
group Looks : look
rule json csv markdown : needs list : --json, --csv and --markdown go with --list
exclude list kind : --list takes no KIND
need list kind : a KIND is missing; epochcast plot --list names the recipes
need list table : a FILE.csv to draw is missing
