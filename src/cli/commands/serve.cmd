opts serve_opts
member struct ec_answering with
member struct ec_http_opts http
member struct ec_file html
member struct ec_file token
member pthread_key_t predictor

fields own
listen str ADDRESS:PORT =127.0.0.1:8040 @http.listen : where it is reached; beyond this machine with --token
token str FILE @token_file : whoever asks sends the word in this file, as Authorization: Bearer WORD; the page and
    /healthz are for all
page str FILE.html : the page that ./page makes, to be shown at /
mcp bool : speak the Model Context Protocol on standard input and output, in place of HTTP
files str DIR : with --mcp: a folder of networks that may be named
store str FILE @with.store : a store of measurements that `evidence` is taken from; it is only read
profile str FILE.json @with.profile : profile of a device, by `epochcast calibrate`, for its predictions
name strs NAME @http.names : a name that it is reached by, beside localhost and numeric addresses

fields limits
rate double N =0 0..1e6 @http.rate_per_s : requests per second from one address; 0: no limit
compute double SECONDS =60 0..86400 @with.compute_s : longest time to make an answer, or all answers to JSON lines; 0: no limit
threads int N =4 1..256 @http.threads : threads that answer
connections int N =256 4..15000 @http.connections : open connections in all
per_address int N =64 1..15000 @http.per_address : open connections of one address
deadline double SECONDS =30 1..3600 @http.deadline_s : for a request to come, and for an answer to be taken
header_bytes int BYTES =32768 4096..1048576 @http.header_max_bytes : head of a request
body_bytes int BYTES =33554432 1024..1073741824 @http.body_max_bytes : body of a request
bodies_bytes int BYTES =268435456 1024..1e15 @http.bodies_max_bytes : bodies of all requests together
memory_bytes int BYTES =4294967296 0..1e15 : address space of the process; 0: no limit
sandbox enum =auto of:sandbox_names : give up all rights but answering; require: fail where the
    kernel cannot do all of it
log bool =1 : write no line of JSON for each request to standard error

command serve : answer predictions and other questions over HTTP, or to agents
run run
usage [--listen ADDRESS:PORT] [--page FILE.html] ...
usage --mcp
group Options : own
group Limits : limits
rule files : needs mcp
