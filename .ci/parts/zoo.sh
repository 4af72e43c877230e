# `npm start` and `npm run page`: the zoo opens, responds, stops, and opens again with what it has stored.

start_zoo 0
check 'npm start opens the zoo' zoo_responds
if [ "$failed" -gt 0 ]; then exit; fi

if node -e "process.exit(process.getBuiltinModule('node:sqlite') ? 0 : 1)"; then
  store="SQLite in $scratch/zoo.db"
else
  store='in memory, this Node has no node:sqlite'
fi
equal 'the store' "store: $store" "$(grep '^store: ' "$scratch/zoo.log")"

token=$(sed -n 's/^token: //p' "$scratch/zoo.log")
equal 'commands to try' 17 "$(grep -c '^curl ' "$scratch/zoo.log")"
suggestions_work

# In zoo 1, those commands have fed Rex, who is pet 1, and made Asp, who is pet 2. They have also made zoo 2.
NOT_FOUND='{"type":"about:blank","title":"Not Found","status":404,"detail":"Not found."}'
BAD_LEGS='{"type":"about:blank","title":"Bad Request","status":400,"detail":"Bad arguments: legs: expected an integer from 0 to 4294967295","errors":[{"detail":"legs: expected an integer from 0 to 4294967295","pointer":"#/legs"}]}'
BAD_LIMIT='{"type":"about:blank","title":"Bad Request","status":400,"detail":"Bad arguments: limit: expected an integer from 1","errors":[{"detail":"limit: expected an integer from 1","parameter":"limit"}]}'
NO_ROUTE='{"type":"about:blank","title":"Not Found","status":404,"detail":"Nothing is served at this path."}'
NO_TOKEN='{"type":"about:blank","title":"Unauthorized","status":401,"detail":"The request needs a bearer token."}'
NAME_TAKEN='{"type":"about:blank","title":"Conflict","status":409,"detail":"another zoo has this name"}'
HAS_PETS='{"type":"about:blank","title":"Conflict","status":409,"detail":"the zoo has pets"}'
NO_PHOTO='{"type":"about:blank","title":"Unsupported Media Type","status":415,"detail":"The body must be image/png or image/jpeg."}'
ARTIS='{"name":"Artis","city":"Amsterdam"}'
REX='{"id":1,"name":"Rex","legs":3,"lethal":false,"eaten":250}'
ASP='{"name":"Asp","legs":0,"lethal":true}'
BOA='{"name":"Boa","legs":0,"lethal":false}'
responds GET /v1/animal/ant 200 '{"name":"ant","legs":4,"lethal":false}'
responds HEAD /v1/animal/ant 200 ''
responds GET /v1/animal 405 ''
responds GET /v1/nothing 404 "$NO_ROUTE"
responds GET /health 200 '{"status":"ok"}'

responds GET /v1/zoo/1 200 '{"id":1,"name":"The zoo","city":"Utrecht"}'
responds GET '/v1/zoo?limit=1' 200 '[{"id":1,"name":"The zoo","city":"Utrecht"}]'
equal 'Link' '<?limit=1&after=1>; rel="next"' "$(head_value link)"
responds GET '/v1/zoo?limit=0' 400 "$BAD_LIMIT"
responds POST /v1/zoo 401 "$NO_TOKEN" "$ARTIS"
equal 'WWW-Authenticate' 'Bearer realm="api"' "$(head_value www-authenticate)"
as_keeper responds GET /v1/keeper/me 200 '{"name":"head keeper"}'
as_keeper responds POST /v1/zoo 201 3 "$ARTIS"
equal 'Location' /v1/zoo/3 "$(head_value location)"
as_keeper responds POST /v1/zoo 409 "$NAME_TAKEN" "$ARTIS"
as_keeper responds PATCH /v1/zoo/3 204 '' '{"city":"Utrecht"}'
responds GET '/v1/zoo?after=2' 200 '[{"id":3,"name":"Artis","city":"Utrecht"}]'
equal 'Link' '' "$(head_value link)"
as_keeper responds DELETE /v1/zoo/3 204 ''
responds GET /v1/zoo/3 404 "$NOT_FOUND"
as_keeper responds DELETE /v1/zoo/1 409 "$HAS_PETS"

responds GET /v1/zoo/1/pet/1 200 "$REX"
responds GET /v1/zoo/1/pet/1/appetite 200 '{"grams":2250}'
responds GET /v1/zoo/2/pet/1 404 "$NOT_FOUND"
as_keeper responds POST /v1/zoo/2/pet 201 3 "$ASP"
equal 'Location' /v1/zoo/2/pet/3 "$(head_value location)"
as_keeper responds PUT /v1/zoo/2/pet/3 204 '' "$BOA"
as_keeper responds PATCH /v1/zoo/2/pet/3 204 '' '{"lethal":true}'
as_keeper responds POST /v1/zoo/2/pet/3/feed 200 '{"name":"Boa","eaten":20}' '{"grams":20}'
responds GET /v1/zoo/2/pet 200 '[{"id":3,"name":"Boa","legs":0,"lethal":true,"eaten":20}]'
responds POST /v1/zoo/2/pet/search 200 '[{"id":3,"name":"Boa","legs":0,"lethal":true,"eaten":20}]' '{"name":"oa"}'
responds GET /v1/zoo/2/pet.csv 200 $'id,name,legs,lethal,eaten\r\n3,Boa,0,true,20\r'
equal 'Content-Type' 'text/csv; charset=utf-8; header=present' "$(head_value content-type)"
as_keeper responds DELETE /v1/zoo/2/pet/3 204 ''
responds GET /v1/zoo/2/pet/3 404 "$NOT_FOUND"
as_keeper responds PUT /v1/zoo/2/pet/3 404 "$NOT_FOUND" "$ASP"
as_keeper responds DELETE /v1/zoo/2/pet/3 404 "$NOT_FOUND"
as_keeper responds POST /v1/zoo/2/pet/3/feed 404 "$NOT_FOUND" '{"grams":20}'
as_keeper responds POST /v1/zoo/1/pet 400 "$BAD_LEGS" '{"name":"Asp","legs":"none","lethal":true}'
responds DELETE /v1/zoo/1/pet/1 401 "$NO_TOKEN"

check 'GET /v1/zoo/1/pet/1/photo' ask GET /v1/zoo/1/pet/1/photo
check '  and it is the one that was sent' cmp "$scratch/body" examples/zoo/rex.png
equal '  of this type' image/png "$(head_value content-type)"
with_header "If-None-Match: $(head_value etag)" responds GET /v1/zoo/1/pet/1/photo 304 ''
as_keeper responds PUT /v1/zoo/1/pet/1/photo 415 "$NO_PHOTO" '{}'

responds GET '/v1/event?after=4&limit=1' 200 \
  $'id: 5\nevent: left\ndata: {"zoo":2,"pet":3,"name":"Boa","by":"head keeper"}'
equal 'Content-Type' text/event-stream "$(head_value content-type)"

allows OPTIONS /v1/animal 200 ''
allows OPTIONS /v1/animal/ant 200 'GET'
allows OPTIONS /v1/zoo 200 'GET, POST'
allows OPTIONS /v1/zoo/1/pet 200 'GET, POST, POST'
allows OPTIONS /v1/zoo/1/pet/1 200 'GET, PUT, PATCH, DELETE'
allows OPTIONS /v1/zoo/1/pet/1/photo 200 'GET, PUT, DELETE'
allows POST /v1/zoo/1/pet/1 405 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'
allows DELETE /health 405 'GET, HEAD'

first=$zoo
start_zoo "${url##*:}"
zoo_ended
equal 'a second zoo on that port: exit status' 1 "$status"
check '  and it says why' grep -x "listen EADDRINUSE: address already in use ${url#http://}" "$scratch/zoo.log"
zoo=$first
responds GET /health 200 '{"status":"ok"}'

check 'a client follows the events' follow_events
kill -TERM "$zoo"
zoo_ended
equal 'SIGTERM to npm start: exit status' 0 "$status"
code=0
wait "$follower" || code=$?
equal '  and of the client, whose stream has ended' 0 "$code"

token=a-token-of-the-checks
start_zoo 0 "$token"
check 'npm start opens it again' zoo_responds
if [ "$store" = "SQLite in $scratch/zoo.db" ]; then
  responds GET /v1/zoo/1/pet/1 200 "$REX"
  as_keeper responds POST /v1/zoo/1/pet 201 4 "$ASP"
else
  responds GET /v1/zoo/1/pet/1 200 '{"id":1,"name":"Rex","legs":4,"lethal":false,"eaten":0}'
  as_keeper responds POST /v1/zoo/1/pet 201 2 "$ASP"
fi
ZOO_TOKEN=$token suggestions_work
equal 'lines that have the given token' 0 "$(grep -c "$token" "$scratch/zoo.log")"
# A terminal sends Ctrl-C to all that runs in it.
kill -INT -- "-$zoo"
zoo_ended
equal 'Ctrl-C: exit status' 0 "$status"

check 'npm run page serves the document as a page' page_responds
check '  which is Swagger UI' grep swagger-ui-bundle.js "$scratch/body"
