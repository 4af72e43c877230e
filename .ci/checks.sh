# Counting checks, and a zoo to ask: sourced by `run`.
#
#   check 'it builds' npm run build        one check: the command exits 0
#   equal 'the status' 200 "$status"        one check: two strings are the same
#   tests 'unit tests' npm test            one check for each test that the runner counts, and one for its exit status
#   tests_if_possible 'in a browser' …     the same, but one that is skipped where the exit status is 77: what it needs is not on
#                                          this machine, and cannot be installed

passed=0
failed=0
skipped=0
scratch=$(mktemp -d)
log=$scratch/command.log

pass() {
  passed=$((passed + 1))
  echo "ok    $1"
}

fail() {
  failed=$((failed + 1))
  echo "FAIL  $1"
}

check() {
  local what=$1
  shift
  if "$@" >"$log" 2>&1; then
    pass "$what"
  else
    fail "$what"
    sed 's/^/      /' "$log"
  fi
}

equal() {
  if [ "$2" = "$3" ]; then
    pass "$1 -> $2"
  else
    fail "$1: expected '$2', got '$3'"
  fi
}

tests() {
  local what=$1 status=0 counts ran broke left
  shift
  "$@" >"$log" 2>&1 || status=$?
  counts=$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$log" | tail -n 1) || counts='0 passed, 1 failed'
  read -r ran _ broke _ left _ <<<"$counts"
  passed=$((passed + ran))
  failed=$((failed + broke))
  skipped=$((skipped + ${left:-0}))
  echo "      $what: $counts, after $SECONDS s"
  [ "$status" = 0 ] || sed 's/^/      /' "$log"
  equal "$what: exit status" 0 "$status"
}

tests_if_possible() {
  local what=$1 output=$scratch/tests.log status=0
  shift
  "$@" >"$output" 2>&1 || status=$?
  if [ "$status" = 77 ]; then
    skipped=$((skipped + 1))
    echo "skip  $what: $(tail -n 1 "$output")"
  else
    tests "$what" bash -c 'cat "$1"; exit "$2"' bash "$output" "$status"
  fi
}

# Starts `npm start -- --all` in a process group of its own: `start_zoo <port> [token]`. Leaves its pid in `zoo`, its log in zoo.log.
start_zoo() {
  : >"$scratch/zoo.log"
  set -m
  HOST='' PORT=$1 ZOO_DB=$scratch/zoo.db ZOO_TOKEN=${2:-} npm start -- --all >"$scratch/zoo.log" 2>&1 &
  zoo=$!
  set +m
}

# Waits until the zoo responds. Leaves its address in `url`.
zoo_responds() {
  for _ in {1..600}; do
    url=$(sed -n 's/^The zoo is open at //p' "$scratch/zoo.log")
    if [ -n "$url" ] && ask GET /health; then return 0; fi
    kill -0 "$zoo" 2>/dev/null || break
    sleep 0.1
  done
  cat "$scratch/zoo.log"
  return 1
}

# Runs `npm run page` until its page is there. Leaves the page in the file body.
page_responds() {
  : >"$scratch/page.log"
  set -m
  HOST='' PORT=0 ZOO_DB=$scratch/page.db npm run page >"$scratch/page.log" 2>&1 &
  set +m
  local page=$! url code=1
  for _ in {1..600}; do
    url=$(sed -n 's/^The page is at //p' "$scratch/page.log")
    if [ -n "$url" ]; then
      curl --disable --silent --fail --noproxy '*' --max-time 10 --output "$scratch/body" "$url" && code=0
      break
    fi
    kill -0 "$page" 2>/dev/null || break
    sleep 0.1
  done
  # The program alone: npm would pass the signal on once more, and Node no longer handles it in its last millisecond.
  pkill -TERM -P "$page" 2>/dev/null || kill -TERM -- "-$page" 2>/dev/null || true
  wait "$page" || code=1
  [ "$code" = 0 ] || cat "$scratch/page.log"
  return "$code"
}

# Waits until npm and the zoo have ended, half a minute at most. Leaves the exit status of `npm start` in `status`.
zoo_ended() {
  status=
  for _ in {1..300}; do
    kill -0 -- "-$zoo" 2>/dev/null || break
    sleep 0.1
  done
  if kill -KILL -- "-$zoo" 2>/dev/null; then status='left running, '; fi
  local code=0
  wait "$zoo" || code=$?
  status+=$code
}

# One check for each command that the zoo suggests, in their order.
suggestions_work() {
  local suggestion
  while read -r suggestion; do
    check "$suggestion" bash -c "$suggestion --fail --max-time 10"
  done < <(grep '^curl ' "$scratch/zoo.log")
}

# Follows the events of the zoo until they end. Leaves the pid of that in `follower`.
follow_events() {
  : >"$scratch/events"
  curl --disable --silent --no-buffer --noproxy '*' --max-time 60 "$url/v1/event?after=0" >"$scratch/events" &
  follower=$!
  for _ in {1..100}; do
    [ ! -s "$scratch/events" ] || return 0
    sleep 0.1
  done
  return 1
}

# Runs a command whose requests have this header: `with_header 'If-None-Match: "1"' responds …`.
with_header() {
  local header=$1
  shift
  "$@"
}

# Runs a command whose requests have the keepers' token.
as_keeper() {
  with_header "Authorization: Bearer $token" "$@"
}

# Sends a request: `ask <method> <path> [json]`. Leaves the response in the files head and body.
ask() {
  local -a arguments=(--disable --silent --show-error --noproxy '*' --max-time 10)
  arguments+=(--dump-header "$scratch/head" --output "$scratch/body")
  if [ "$1" = HEAD ]; then arguments+=(--head); else arguments+=(--request "$1"); fi
  if [ $# -gt 2 ]; then arguments+=(--header 'Content-Type: application/json' --data "$3"); fi
  if [ -n "${header:-}" ]; then arguments+=(--header "$header"); fi
  : >"$scratch/head" >"$scratch/body"
  curl "${arguments[@]}" "$url$2"
}

# One check: `responds <method> <path> <status> <body> [json]`.
responds() {
  ask "$1" "$2" "${@:5}" || true
  if [ "$1" = HEAD ]; then : >"$scratch/body"; fi
  equal "$1 $2${5:+ $5}" "$3 $4" "$(head_status) $(cat "$scratch/body")"
}

# One check: `allows <method> <path> <status> <value of Allow>`.
allows() {
  ask "$1" "$2" || true
  equal "$1 $2, Allow" "$3 $4" "$(head_status) $(head_value allow)"
}

head_status() {
  sed -n '1s/^HTTP[^ ]* \([0-9]*\).*/\1/p' "$scratch/head"
}

head_value() {
  tr -d '\r' <"$scratch/head" | grep -i "^$1:" | cut -d ' ' -f 2-
}

# Cleans up and says how it went, however the checks ended.
finish() {
  local status=$?
  trap - EXIT
  # A signal may have come in the middle of a command whose output goes elsewhere.
  exec >&3
  for part in $(jobs -p); do kill -TERM -- "-$part" 2>/dev/null || true; done
  wait
  rm -rf "$scratch"
  if [ "$status" != 0 ] && [ "$failed" = 0 ]; then fail "the checks ended early, with status $status"; fi
  if [ "$skipped" = 0 ]; then echo "$passed passed, $failed failed"; else echo "$passed passed, $failed failed, $skipped skipped"; fi
  if [ "$failed" -gt 0 ] || [ "$passed" = 0 ]; then exit 1; fi
  exit 0
}
exec 3>&1
