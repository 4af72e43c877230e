packages tests/compat
tests 'the steps of the guide' npm run --silent --ignore-scripts guide
