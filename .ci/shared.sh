# How parts run, and what several of them need: sourced by `run`.
#
#   run_alone zoo                    runs a part, and ends everything if it fails
#   run_together                     runs parts that compute beside parts that wait, and prints the output of each in one piece
#   once pack pack                   runs a command, unless another part has: the first word names it. Other parts wait for it
#   packages tests/compat            installs the packages of a folder as its lock says, once on this machine
#   on_node 24 file.js               runs a version of Node, also in what it starts

shared=$scratch
cache=${XDG_CACHE_HOME:-$HOME/.cache}/restpoint-ci
copy=$shared/copy
packed=$shared/packed
consumer=$shared/consumer

# Runs a part in a process of its own, which writes its counts into a file when it ends.
run_part() {
  set +m
  part=$1 scratch=$shared/part-$1 SECONDS=0 passed=0 failed=0 skipped=0
  log=$scratch/command.log
  mkdir "$scratch"
  trap 'finish_part $?' EXIT
  trap 'exit 130' INT TERM
  source ".ci/parts/$part.sh"
}

finish_part() {
  trap - EXIT INT TERM
  for job in $(jobs -p); do kill -KILL -- "-$job" 2>/dev/null || true; done
  if [ "$1" != 0 ]; then fail "$part ended early, with status $1" >&3; fi
  times >"$scratch/times"
  echo "      $part: $passed passed, $failed failed, $skipped skipped, in $SECONDS s (of processors: $(tail -n 1 "$scratch/times"))" >&3
  echo "$passed $failed $skipped" >"$shared/new-$part"
  mv "$shared/new-$part" "$shared/counts-$part"
}

# Adds the counts of a part.
add_counts() {
  local counts
  if ! read -ra counts <"$shared/counts-$1"; then counts=(0 1 0); fi
  rm -f "$shared/counts-$1"
  passed=$((passed + counts[0]))
  failed=$((failed + counts[1]))
  skipped=$((skipped + counts[2]))
}

run_alone() {
  echo "# $1"
  start_part "$1" ''
  wait "$!" || true
  add_counts "$1"
  if [ "$failed" -gt 0 ]; then exit 1; fi
}

# Starts a part in a process group of its own, so that all of it can be ended. Its output goes to a file, if there is one.
start_part() {
  set -m
  if [ -n "$2" ]; then
    (exec >"$2" 2>&1 3>&1 && run_part "$1") &
  else
    (run_part "$1") &
  fi
  set +m
}

# Runs the parts in `computing` and those in `waiting`, two of each at a time.
run_together() {
  local running=()
  while [ $((${#computing[@]} + ${#waiting[@]} + ${#running[@]})) -gt 0 ]; do
    while [ "${#waiting[@]}" -gt 0 ] && [ "$(count_running waiting)" -lt 2 ]; do start_next waiting; done
    while [ "${#computing[@]}" -gt 0 ] && [ "$(count_running computing)" -lt 2 ]; do start_next computing; done
    await_one
  done
}

# Starts the first part of a list, and takes it from there.
start_next() {
  local -n list=$1
  local name=${list[0]}
  start_part "$name" "$shared/output-$name"
  running+=("$1:$name")
  list=("${list[@]:1}")
}

count_running() {
  local each count=0
  for each in "${running[@]}"; do if [ "${each%%:*}" = "$1" ]; then count=$((count + 1)); fi; done
  echo "$count"
}

# Waits for one of the parts that are running, and prints its output.
await_one() {
  local each name left=()
  until compgen -G "$shared/counts-*" >/dev/null; do wait -n || true; done
  for each in "${running[@]}"; do
    name=${each#*:}
    if [ -e "$shared/counts-$name" ]; then
      echo "# $name"
      cat "$shared/output-$name"
      add_counts "$name"
    else
      left+=("$each")
    fi
  done
  running=("${left[@]}")
}

once() {
  (
    flock 8
    if [ ! -e "$shared/did-$1" ]; then
      "${@:2}" 8>&- && touch "$shared/did-$1"
    fi
  ) 8>"$shared/lock-$1"
}

packages() {
  check "the packages of $1" once "install-${1//\//-}" install_packages "$1"
}

# A later run links the files of the first. The key is what decides about them.
install_packages() {
  local key kept modules=$1/node_modules
  key=$(cat "$1"/package*.json | (cat && node -p 'process.version + process.platform + process.arch') | git hash-object --stdin)
  kept=$cache/$key
  if [ "$(cat "$modules/.restpoint-ci" 2>/dev/null)" = "$key" ]; then return; fi
  rm -rf "$modules"
  if [ -d "$kept" ] && link_files "$kept" "$modules"; then
    touch "$kept"
    return
  fi
  if [ -e "$1/package-lock.json" ]; then
    npm ci --prefix "$1" || return
  else
    npm install --no-audit --no-fund --prefix "$1" || return
  fi
  echo "$key" >"$modules/.restpoint-ci"
  keep_files "$modules" "$kept" || true
}

# Where nothing can be kept, the next run installs once more.
keep_files() {
  mkdir -p "$cache" || return
  find "$cache" -mindepth 1 -maxdepth 1 -mtime +30 -exec rm -rf {} +
  link_files "$1" "$2.$BASHPID" && touch "$2.$BASHPID" && mv -T "$2.$BASHPID" "$2" || rm -rf "$2.$BASHPID"
}

link_files() {
  cp -al "$1" "$2" 2>/dev/null || { rm -rf "$2" && cp -a "$1" "$2"; }
}

on_node() {
  once "node-$1" find_node "$1" || return
  PATH=$(dirname "$(cat "$shared/node-$1")"):$PATH node "${@:2}"
}

find_node() {
  npx -y -p "node@$1" node -p process.execPath >"$shared/node-$1"
}

# Packs in a copy, since `npm pack` writes `dist` anew, and changes documents while it runs.
pack() {
  mkdir "$copy" "$packed" || return
  git ls-files -z | xargs -0 cp --parents -t "$copy" || return
  link_files node_modules "$copy/node_modules" || return
  cd "$copy" || return
  npm pack --pack-destination "$packed" || return
  npm pack ./create --pack-destination "$packed" || return
  npm pack --dry-run --json --ignore-scripts >"$packed/files.json"
}

# Makes a project that has the package.
consume() {
  cp -R tests/consumer "$consumer" || return
  install_packages "$consumer" || return
  (cd "$consumer" && npm install --no-audit --no-fund "$packed"/restpoint-*.tgz)
}

in_consumer() {
  (cd "$consumer" && "$@")
}
