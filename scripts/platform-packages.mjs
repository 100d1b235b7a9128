// Installs the native builds of lmdb for all platforms, so that the npm package, which bundles its dependencies, runs on
// each of them. `npm ci` installs only the build for this machine.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PREFIX = "node_modules/@lmdb/";

/** Throws an error with the output of a command that failed. */
function run(command, args, cwd) {
  const { error, status, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (error || status !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${error ?? stderr}`);
}

/**
 * Downloads the missing packages and compares each with its hash in the lock file.
 * @param root the project's folder
 * @throws Error if a package cannot be downloaded, or has another hash; it is then not installed
 */
export function installPlatformPackages(root) {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  for (const [path, { version, integrity }] of Object.entries(packages)) {
    const target = join(root, path);
    if (!path.startsWith(PREFIX) || existsSync(join(target, "package.json"))) continue;
    const name = path.slice("node_modules/".length);
    const folder = mkdtempSync(join(tmpdir(), "holdfast-platform-"));
    try {
      run("npm", ["pack", `${name}@${version}`, "--pack-destination", folder, "--loglevel=error"], folder);
      const [archive] = readdirSync(folder);
      const hash = createHash("sha512")
        .update(readFileSync(join(folder, archive)))
        .digest("base64");
      if (integrity !== `sha512-${hash}`)
        throw new Error(`${name}@${version} does not have the hash of package-lock.json`);
      mkdirSync(target, { recursive: true });
      run("tar", ["-xzf", join(folder, archive), "-C", target, "--strip-components=1"]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
