opts data_opts

fields store
store str FILE : the store; without it $EPOCHCAST_STORE, else $XDG_DATA_HOME/epochcast/store.sqlite

fields form
+EC_FIELDS_FORMS struct ec_forms forms

fields import
words strs PATH : tables, traces of the PyTorch profiler, or folders of them
source str KEY : key of the source; importing a table that has grown under its key adds the new rows
device str KEY @given.device : device, for a table without such a column
+EC_FIELDS_GIVEN struct ec_table_given given
precision str @given.precision +EC_PRECISION_WORDS : precision, for a table without such a column

fields filter
source str KEY : pattern of keys of sources
device str KEY,... : patterns of devices joined by ','
op str NAME : pattern of operators
network str NAME : pattern of networks
precision str NAME : precision of the rows
kind enum NAME of:ec_kind_names : what was measured
limit int N 0..1e12 : at most so many measurements; 0: all; default of list: 50
clean bool : leave out rows that their source or `data check` flags

fields export
+EC_FIELD_JSON struct ec_forms forms
+EC_FIELD_CSV struct ec_forms forms

fields show
words strs ID : number of a measurement, as list prints it
+EC_FIELD_JSON struct ec_forms forms
+EC_FIELD_MARKDOWN struct ec_forms forms

fields merge
words strs FILE : another store

fields check
dry_run bool : print the findings, but do not store them

fields mappings
words strs NAME : print the text of this mapping; default: list all

command data import : import tables of measurements into the store
run import
usage PATH... [--source KEY] [--device KEY] [--mapping NAME|FILE.map]
positional words
group Options : import store
need words : a table is missing: FILE.csv

command data export : write measurements with all their columns, as CSV or JSON
run export
usage [FILTER...] [--json]
group Options : filter export store

command data list : list the sources of the store; with a filter, its measurements
run list
usage [FILTER...] [--limit N] [--json | --csv | --markdown]
group Options : filter form store

command data show : print all columns of a measurement
run show
usage ID... [--json | --markdown]
positional words
group Options : show store
need words : the number of a measurement is missing; data list prints them

command data merge : copy the measurements of another store into this one
run merge
usage FILE...
positional words
group Options : merge store
need words : the file of another store is missing

command data check : find impossible rows: faster than their device, or without a valid case
run check
usage [--dry-run] [--json | --csv | --markdown]
group Options : check form store

command data mappings : list the built-in mappings, or print one
run mappings
usage [NAME...] [--json | --csv | --markdown]
positional words
group Options : mappings form
rule words : unless json csv markdown : mappings NAME prints the text of a mapping; it excludes --json, --csv and --markdown

command data : keep measurements: import, export, list, show, merge, check, mappings
