/** Builds the explorer into `dist/explorer`; `scripts/run.mjs` runs it as part of the build. */
import { join } from "node:path";
import { defineConfig } from "vite";

const project = join(import.meta.dirname, "..", "..");

/** The development server forwards requests to this node. */
const node = process.env.HOLDFAST_NODE ?? "http://127.0.0.1:6869";

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  // The node writes the path into `<base>`.
  base: command === "build" ? "./" : "/explorer/",
  publicDir: false,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  resolve: {
    // Does the same as `browser` in package.json, for TypeScript sources.
    alias: [{ find: /^(.*)\/crypto\/native\.ts$/, replacement: "$1/crypto/portable.ts" }],
  },
  build: {
    outDir: join(project, "dist", "explorer"),
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  server: { proxy: { "^/(?!explorer(/|$))": { target: node, changeOrigin: true } } },
}));
