# Other work may run here, so connections linger longer than by default.
tests 'rolling restarts of a cluster' npm run --silent --ignore-scripts restarts -- --requests 3000 --restarts 2 --linger 3000 --seconds 1800
