# Streams that are long, and streams that are many: the server loses nothing, and its memory does not grow with them. A quarter of a gigabyte
# is four times what its memory may grow by.
tests 'long streams, and a thousand clients' env LOAD_GIGABYTES=0.25 npm run --silent --ignore-scripts load
