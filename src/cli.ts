/** The command line: what commands may use of the world, for real. The commands are in `cli/`. */
import type { Io } from "./cli/io.ts";
import { run } from "./cli/program.ts";

const io: Io = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  get terminal() {
    return process.stderr.isTTY ? { columns: process.stderr.columns } : undefined;
  },
  environment: process.env,
  onSignal: (listener) => {
    process.on("SIGTERM", listener);
    process.on("SIGINT", listener);
    return () => {
      process.off("SIGTERM", listener);
      process.off("SIGINT", listener);
    };
  },
  exit: (code) => process.exit(code),
  // Loaded when it is needed: `holdfast --help` should not open a database.
  startNode: async (settings, log, isStopped) => {
    const { startNode } = await import("./node.ts");
    const { realWorld } = await import("./node/real-world.ts");
    return startNode(await realWorld(settings, log), settings, isStopped);
  },
  lockDataDir: async (settings) => {
    const store = await (await import("./node/composition.ts")).openNodeStore(settings);
    return { release: () => store.close() };
  },
};

// `holdfast config print | head -1` closes our output: that is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

process.exit(await run(process.argv.slice(2), io));
