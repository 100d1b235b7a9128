/** How the page is built: `scripts/run.mjs` runs it as a part of the build, and puts what comes of it into `dist/explorer`. */
import { join } from "node:path";
import { defineConfig } from "vite";

const project = join(import.meta.dirname, "..", "..");

/** Which node answers while one works on the page: `npx vite --config src/explorer/vite.config.ts`. */
const node = process.env.HOLDFAST_NODE ?? "http://127.0.0.1:6869";

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  // What is built knows no path: `<base>`, which the node writes, says where the page stands.
  base: command === "build" ? "./" : "/explorer/",
  publicDir: false,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  resolve: {
    // The seam of package.json's member `browser`, for files that are not yet compiled.
    alias: [{ find: /^(.*)\/crypto\/native\.ts$/, replacement: "$1/crypto/portable.ts" }],
  },
  build: {
    outDir: join(project, "dist", "explorer"),
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // How long each step takes is of no use to who starts a node on a slow machine.
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  server: { proxy: { "^/(?!explorer(/|$))": { target: node, changeOrigin: true } } },
}));
