/** Builds the explorer into `dist/explorer`; `scripts/run.mjs` runs it as part of the build. */
import { join } from "node:path";
import { defineConfig, type Plugin, type UserConfig } from "vite";

const project = join(import.meta.dirname, "..", "..");

/** The development server forwards requests to this node. */
const node = process.env.HOLDFAST_NODE ?? "http://127.0.0.1:6869";

/** Modules that `start.ts` and the catalogues of other languages share. */
const START = /rolldown.runtime|vite.preload-helper|\/(explorer\/start|text\/text|describe\/types)\.ts$/;
const MAIN = /\/explorer\/main\.tsx$/;
/** Modules that are loaded on demand, one file per pattern, with modules that only they import. */
const CODEC = /\/(describe\/(script-tree|bytes)|crypto\/(certificates|portable))\.ts$/;
const OTHER_PAGES = /\/(explorer\/other-pages|lists\/virtual-rows|address\/tabs)\.tsx?$|\/uqr\//;

/** Makes the browser fetch `main.tsx` together with `start.ts`, which imports it later. */
const preloadMain: Plugin = {
  name: "preload-main",
  transformIndexHtml: (_html, { bundle = {} }) => {
    const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
    const main = chunks.filter(({ moduleIds }) => moduleIds.some((id) => MAIN.test(id)));
    const names = main.flatMap(({ fileName, imports }) => [fileName, ...imports]);
    return names.map((name) => ({
      tag: "link",
      attrs: { rel: "modulepreload", crossorigin: true, href: `./${name}` },
      // After `<base>`.
      injectTo: "head",
    }));
  },
};

/** `server.tsx` as one file, with a copy for each further language. */
const SERVER_BUILD: UserConfig["build"] = {
  emptyOutDir: true,
  target: "es2022",
  minify: true,
  rolldownOptions: { output: { codeSplitting: false, entryFileNames: "en.js" } },
};

export default defineConfig(({ command, isSsrBuild }) => ({
  root: import.meta.dirname,
  // The node writes the path into `<base>`.
  base: command === "build" ? "./" : "/explorer/",
  publicDir: false,
  plugins: isSsrBuild === true ? [] : [preloadMain],
  ssr: { target: "webworker", noExternal: true },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build:
    isSsrBuild === true
      ? SERVER_BUILD
      : {
          outDir: join(project, "dist", "explorer"),
          emptyOutDir: true,
          target: "es2022",
          assetsInlineLimit: 0,
          // Chunks must not load the style sheet, which the node puts into the page.
          cssCodeSplit: false,
          modulePreload: { polyfill: false },
          reportCompressedSize: false,
          rolldownOptions: {
            checks: { pluginTimings: false },
            output: {
              codeSplitting: {
                groups: [
                  { name: "start", test: START, priority: 2 },
                  { name: "main", test: MAIN, priority: 1 },
                  { name: "codec", test: CODEC },
                  { name: "other-pages", test: OTHER_PAGES },
                ],
              },
            },
          },
        },
  server: { proxy: { "^/(?!explorer(/|$))": { target: node, changeOrigin: true } } },
}));
