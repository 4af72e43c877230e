packages tests/compat
for name in browser browser-client browser-page; do
  tests_if_possible "in Chromium: $name" node "tests/compat/$name.js"
done
