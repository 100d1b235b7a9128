/** Builds the explorer into `dist/explorer`; `scripts/run.mjs` runs it as part of the build. */
import { join } from "node:path";
import { defineConfig } from "vite";

const project = join(import.meta.dirname, "..", "..");

/** The development server forwards requests to this node. */
const node = process.env.HOLDFAST_NODE ?? "http://127.0.0.1:6869";

/** Modules that are loaded on demand, one file per pattern, with modules that only they import. */
const CODEC = /\/(describe\/(script-tree|bytes)|crypto\/(certificates|portable))\.ts$/;
const OTHER_PAGES = /\/(explorer\/other-pages|lists\/virtual-rows|address\/tabs)\.tsx?$/;

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  // The node writes the path into `<base>`.
  base: command === "build" ? "./" : "/explorer/",
  publicDir: false,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: join(project, "dist", "explorer"),
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      checks: { pluginTimings: false },
      output: {
        codeSplitting: {
          groups: [
            { name: "explorer", tags: ["$initial"], priority: 1 },
            { name: "codec", test: CODEC },
            { name: "other-pages", test: OTHER_PAGES },
          ],
        },
      },
    },
  },
  server: { proxy: { "^/(?!explorer(/|$))": { target: node, changeOrigin: true } } },
}));
