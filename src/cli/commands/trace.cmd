opts trace_opts

fields own
files strs FILE : traces of the PyTorch profiler (Kineto, Chrome JSON; plain or gzip), one for each
    rank; a folder stands for those in it
usd_per_hour double USD 0..1e6 : price of one device: what each part of the budget costs in an hour
+EC_FIELDS_FORMS forms

command trace : where the time of a profiled step goes, and what could be won back
run run
usage FILE... [--usd-per-hour USD] [--json | --csv | --markdown]
positional files
group Options : own
