opts fetch_opts

fields own
names strs NAME : data sets to download; default: list all
dir str FOLDER : folder in which each data set gets a folder of its name; default:
    $XDG_CACHE_HOME/epochcast/data, else ~/.cache/epochcast/data
url str URL : folder of a server, or file:///FOLDER, that has the files, instead of the
    distributor's
+EC_FIELDS_FORMS struct ec_forms forms

command fetch : download public data sets to train on
run run
usage [NAME...] [--dir FOLDER] [--url URL]
positional names
group Options : own
rule names : unless csv markdown : --csv and --markdown go with the list, without NAME
