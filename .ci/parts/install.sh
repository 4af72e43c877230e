# The first command of a stranger, and the other versions of Node.

check 'npm install' npm install
for major in "${OTHER_NODES[@]}"; do
  version=$(on_node "$major" -p process.versions.node 2>"$log") || version=none
  equal "Node $major is there" "$major" "${version%%.*}"
done
