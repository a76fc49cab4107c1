# scattergate in a container:  docker build -t scattergate .
# With the demo's traffic generator in it:  docker build -t scattergate-demo --target demo .

FROM debian:bookworm-slim AS build
WORKDIR /src
COPY scripts/install-deps scripts/packages.txt scripts/
RUN scripts/install-deps
COPY . .
RUN cmake --preset release -DSCATTERGATE_TESTS=OFF \
 && cmake --build --preset release --target scattergate scattergate-demo \
 && strip build/release/scattergate build/release/scattergate-demo

# The libraries that the programs link; tests/deploy/test_dockerfile.py compares the list with them.
FROM debian:bookworm-slim AS libraries
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
      ca-certificates \
      libboost-json1.81.0 \
      libbson-1.0-0 \
      libdeflate0 \
      libmongoc-1.0-0 \
      libpcap0.8 \
      libsimdjson14 \
      libsnappy1v5 \
      libspdlog1.10 \
      libssl3 \
      liburing2 \
      libyaml-cpp0.7 \
      libzstd1 \
      zlib1g \
 && rm -rf /var/lib/apt/lists/*

FROM libraries AS demo
COPY --from=build /src/build/release/scattergate-demo /usr/bin/
USER 65532:65532
ENTRYPOINT ["/usr/bin/scattergate-demo"]

FROM libraries AS scattergate
LABEL org.opencontainers.image.title="scattergate" \
      org.opencontainers.image.description="Sidecar that predicts how mongos routes MongoDB commands" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /src/build/release/scattergate /usr/bin/
COPY LICENSE /usr/share/doc/scattergate/
# A numeric user, so that Kubernetes can verify that it isn't root. Nothing needs a shell or a writable
# file system: audit log and log go to standard output and error.
USER 65532:65532
# Clients and admin address. Both listen on 127.0.0.1 unless configured otherwise, which is right in a pod.
EXPOSE 27117 19216
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 \
  CMD ["/usr/bin/scattergate", "health"]
ENTRYPOINT ["/usr/bin/scattergate"]
CMD ["run"]
