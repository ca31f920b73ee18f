# ddr as a server; docs/deploy.md says how the image is built, started and kept.
# RUN calls scripts of deploy/ alone: tests run them too, as an ordinary user in an empty folder.
FROM python:3.11-slim-bookworm AS built
ENV DDR_HOME=/data/ddr UV_CACHE_DIR=/tmp/uv
WORKDIR /opt/ddr
COPY . .
RUN deploy/install.sh && deploy/sample.sh flights

FROM python:3.11-slim-bookworm
ENV PATH=/opt/ddr/.venv/bin:$PATH \
    DDR_HOME=/data/ddr \
    HOME=/data/ddr \
    PYTHONUNBUFFERED=1
# The code is root's: the server's user cannot change it.
COPY --from=built /opt/ddr /opt/ddr
# The folder above the home is named, so that the home keeps its mode, 0700.
COPY --from=built --chown=10001:10001 /data /data
USER 10001:10001
WORKDIR /data/ddr
VOLUME ["/data/ddr"]
EXPOSE 8910
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 \
    CMD ["python3", "/opt/ddr/deploy/healthy.py"]
ENTRYPOINT ["ddr"]
CMD ["serve", "--http", "--host", "0.0.0.0", "--allow-host", "localhost"]
