# The package, installed into another project: its files, its types, and its modules on each Node.

check 'npm pack' once pack pack
check 'it holds what it should, and nothing else' node .ci/packed-files.js "$packed/files.json"
check 'it depends on nothing' node -e "
  const { dependencies, peerDependencies, optionalDependencies, bundleDependencies } = require('./package.json');
  const named = Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies, ...bundleDependencies });
  if (named.length > 0) throw new Error(named.join(', '));
"

packages scripts/api
check 'publint finds nothing' scripts/api/node_modules/.bin/publint --strict "$packed"/restpoint-*.tgz
# A CommonJS file may require a module since Node 20.19.
check 'attw finds nothing' scripts/api/node_modules/.bin/attw "$packed"/restpoint-*.tgz --profile node16 --ignore-rules cjs-resolves-to-esm

check 'its bill of materials names no other package' node -e "
  const { metadata, components } = JSON.parse(child_process.execFileSync('npm', ['sbom', '--package-lock-only', '--omit=dev', '--sbom-format=cyclonedx'], { encoding: 'utf8' }));
  if (!metadata.component.purl.startsWith('pkg:npm/restpoint@') || components.length > 0) throw new Error(JSON.stringify(components));
"

check 'it installs into another project' once consume consume
check 'the links of its documents lead to files in it' node .ci/packed-links.js "$consumer/node_modules/restpoint"
version_of() {
  node -p "require('$consumer/node_modules/$1/package.json').version" 2>"$log" || echo none
}
# Compiles with configurations one after the other.
compile() {
  local compiler=$1 config
  shift
  for config in "$@"; do
    in_consumer node "node_modules/$compiler/bin/tsc" -p "tsconfig.$config.json" >"$scratch/$compiler.$config.log" 2>&1 || touch "$scratch/$compiler.$config.failed"
  done
}
is_compiled() {
  cat "$scratch/$1.$2.log"
  [ ! -e "$scratch/$1.$2.failed" ]
}
types_hold() {
  local compiler=$1 config
  compile "$@"
  shift
  for config in "$@"; do
    check "TypeScript $(version_of "$compiler") checks its types, tsconfig.$config.json" is_compiled "$compiler" "$config"
  done
}
check 'the type tests of the client import it by its name' node .ci/packed-types.js "$consumer"
# `client-emitted` reads what `client-declarations` has emitted. Before 5.8, `nodenext` rejects every `require` of an ES module.
every=(nodenext client-declarations client-emitted node16 bundler page client)
types_hold typescript-oldest "${every[@]}"
types_hold typescript-oldest-commonjs commonjs
types_hold typescript-5 nodenext client
types_hold typescript "${every[@]}" commonjs
check "TypeScript $(version_of typescript-oldest) rejects wrong programs, and says why" \
  node build/tests/support/wrong-programs.js "$consumer/node_modules/typescript-oldest/bin/tsc"
oldest=$(version_of typescript-oldest)
oldest_commonjs=$(version_of typescript-oldest-commonjs)
check "the README says TypeScript ${oldest%.*}" grep -F "TypeScript ${oldest%.*} or later" README.md
check "  and ${oldest_commonjs%.*} for CommonJS" grep -F "can \`require\`, with TypeScript ${oldest_commonjs%.*} or later" README.md
check 'it is imported' in_consumer node built/esm.mjs
check 'it is required' in_consumer node built/cjs.cjs
check 'it decodes with the schema libraries that the README names' in_consumer node built/schemas.mjs
for major in "${OTHER_NODES[@]}"; do
  check "it is imported on Node $major" in_consumer on_node "$major" built/esm.mjs
  check "it is required on Node $major" in_consumer on_node "$major" built/cjs.cjs
done

check 'minified and gzipped, the client is at most 4.7 KB, and for any platform, and the server is in its budget' \
  node "$copy/.ci/sizes.js" "$consumer/node_modules/restpoint"
check 'each entry is one module, and its stack traces name its functions' in_consumer node module.mjs

