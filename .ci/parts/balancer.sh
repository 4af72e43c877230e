tests_if_possible 'restarts under load behind HAProxy' npm run --silent --ignore-scripts test:balancer
