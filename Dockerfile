# syntax=docker/dockerfile:1
# A node in a container: docker build -t holdfast .
FROM node:20.20.2-bookworm AS build
ARG TARGETARCH
ARG SOURCE_DATE_EPOCH=0
ENV SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH
WORKDIR /src
COPY . .
RUN npm run --silent release -- --unpacked "linux-$(echo "${TARGETARCH:-amd64}" | sed 's/amd64/x64/')" /out

FROM debian:bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates libstdc++6 \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /out /opt/holdfast
RUN ln -s /opt/holdfast/bin/holdfast /usr/local/bin/holdfast \
  && mkdir /data /network && chown 10001:10001 /data /network && chmod 0750 /data /network
USER 10001:10001
# The root file system may be read-only: the node writes below /data only.
VOLUME /data
ENV NODE_ENV=production HOLDFAST_DATA_DIR=/data
# The API, and other nodes.
EXPOSE 6869 6868
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=10m --start-interval=2s \
  CMD ["/opt/holdfast/lib/node/bin/node", "/opt/holdfast/lib/holdfast/scripts/healthcheck.cjs"]
ENTRYPOINT ["holdfast"]
CMD ["start"]
