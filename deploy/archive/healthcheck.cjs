// The health check of the container: succeeds if the node may get requests.
const { HOLDFAST_API_PORT: port = "6869", HOLDFAST_API_PREFIX: prefix = "" } = process.env;
fetch(`http://127.0.0.1:${port}${prefix}/health/ready`, { signal: AbortSignal.timeout(4_000) })
  .then(async (response) => {
    console.log(await response.text());
    process.exitCode = response.ok ? 0 : 1;
  })
  .catch((error) => {
    console.error(`${error.cause ?? error}`);
    process.exitCode = 1;
  });
