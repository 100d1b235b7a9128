// Packages that `npm ci` does not install: native builds for other platforms, and Node.js itself for the archives.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const NATIVE_BUILDS = "node_modules/@lmdb/";

/** @throws Error with the output of the command if it fails */
export function run(command, args, options = {}) {
  const { error, status, stdout, stderr } = spawnSync(command, args, {
    encoding: "utf8",
    maxBuffer: 64 * 2 ** 20,
    ...options,
  });
  if (error || status !== 0)
    throw new Error(`${command} ${args.join(" ")} failed: ${error ?? `${stdout}${stderr}`}`);
  return stdout;
}

/**
 * Downloads a package, compares it with its hash and extracts it into a new folder. No script of the package runs.
 * @param integrity `sha512-` and the hash in Base64, as in the lock file
 * @throws Error if the package cannot be downloaded, or has another hash; the folder then does not exist
 */
export function downloadPackage(name, version, integrity, folder) {
  const download = mkdtempSync(join(tmpdir(), "holdfast-package-"));
  try {
    run("npm", ["pack", `${name}@${version}`, "--pack-destination", download, "--loglevel=error"], {
      cwd: download,
    });
    const archive = join(download, readdirSync(download)[0]);
    const hash = createHash("sha512").update(readFileSync(archive)).digest("base64");
    if (integrity !== `sha512-${hash}`)
      throw new Error(`${name}@${version} has the hash sha512-${hash}, not ${integrity}`);
    mkdirSync(folder, { recursive: true });
    run("tar", ["-xzf", archive, "-C", folder, "--strip-components=1"]);
  } finally {
    rmSync(download, { recursive: true, force: true });
  }
}

/**
 * Installs the native builds of lmdb for all platforms, so that the npm package, which bundles its dependencies, runs
 * on each of them.
 */
export function installPlatformPackages(root) {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  for (const [path, { version, integrity }] of Object.entries(packages)) {
    const folder = join(root, path);
    if (path.startsWith(NATIVE_BUILDS) && !existsSync(join(folder, "package.json")))
      downloadPackage(path.slice("node_modules/".length), version, integrity, folder);
  }
}
