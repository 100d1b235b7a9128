// A self-contained folder: the command, its dependencies for one platform, and Node.js. Unpack it and run `bin/holdfast`.
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { downloadPackage, run } from "../packages.mjs";
import { billOfMaterials, bundledPackages, thirdPartyNotices } from "./bill-of-materials.mjs";

export const nodeBuilds = JSON.parse(readFileSync(new URL("node-builds.json", import.meta.url), "utf8"));

/** Removes native builds for other platforms, and those of lmdb for other Node.js versions and C libraries. */
function keepPlatform(modules, platform) {
  for (const folder of readdirSync(join(modules, "@lmdb")))
    if (folder !== `lmdb-${platform}`) rmSync(join(modules, "@lmdb", folder), { recursive: true });
  const lmdb = join(modules, "@lmdb", `lmdb-${platform}`);
  const kept = `node.abi${abiOf(nodeBuilds.version)}.glibc.node`;
  if (!existsSync(join(lmdb, kept))) throw new Error(`lmdb has no build ${kept} for ${platform}`);
  for (const file of readdirSync(lmdb)) if (file.endsWith(".node") && file !== kept) rmSync(join(lmdb, file));
  // Optional, and only for the machine on which the package was made.
  rmSync(join(modules, "@msgpackr-extract"), { recursive: true, force: true });
  rmSync(join(modules, "msgpackr-extract"), { recursive: true, force: true });
  for (const name of readdirSync(modules)) {
    const prebuilds = join(modules, name, "prebuilds");
    if (!existsSync(prebuilds)) continue;
    for (const folder of readdirSync(prebuilds))
      if (folder !== platform) rmSync(join(prebuilds, folder), { recursive: true });
  }
}

function abiOf(nodeVersion) {
  const abis = { 20: 115, 22: 127 };
  const abi = abis[nodeVersion.split(".")[0]];
  if (abi === undefined) throw new Error(`The ABI of Node.js ${nodeVersion} is not known`);
  return abi;
}

/**
 * @param root the project's folder
 * @param packed the file that `npm pack` made
 * @param manuals folder with man pages and completions
 * @param folder is created
 */
export function makeArchiveFolder({ root, packed, manuals, platform, folder }) {
  const { version, platforms } = nodeBuilds;
  const build = platforms[platform];
  if (build === undefined) throw new Error(`No Node.js build for ${platform}`);
  const lib = join(folder, "lib");
  mkdirSync(lib, { recursive: true });
  run("tar", ["-xzf", packed, "-C", lib]);
  renameSync(join(lib, "package"), join(lib, "holdfast"));
  keepPlatform(join(lib, "holdfast", "node_modules"), platform);

  const download = join(folder, "node.download");
  downloadPackage(build.package, version, build.integrity, download);
  const node = join(lib, "node");
  mkdirSync(join(node, "bin"), { recursive: true });
  renameSync(join(download, "bin", "node"), join(node, "bin", "node"));
  renameSync(join(download, "LICENSE"), join(node, "LICENSE"));
  rmSync(download, { recursive: true });
  chmodSync(join(node, "bin", "node"), 0o755);

  mkdirSync(join(folder, "bin"));
  copyFileSync(join(root, "deploy", "archive", "holdfast"), join(folder, "bin", "holdfast"));
  chmodSync(join(folder, "bin", "holdfast"), 0o755);
  cpSync(manuals, join(folder, "share"), { recursive: true });
  const healthcheck = "healthcheck.cjs";
  copyFileSync(join(root, "deploy", "archive", healthcheck), join(lib, "holdfast", "scripts", healthcheck));
  for (const name of ["LICENSE", "README.md", "CHANGELOG.md"])
    copyFileSync(join(root, name), join(folder, name));

  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const packages = bundledPackages(root).filter(({ path }) => existsSync(join(lib, "holdfast", path)));
  writeFileSync(join(folder, "sbom.cdx.json"), billOfMaterials(manifest, packages, version));
  writeFileSync(
    join(folder, "THIRD_PARTY_NOTICES.txt"),
    thirdPartyNotices(join(lib, "holdfast"), packages, join(node, "LICENSE")),
  );
}

/**
 * Packs a folder so that equal contents give equal bytes.
 * @param epoch time of all files, seconds since 1970
 */
export function packFolder(parent, name, file, epoch) {
  const tar = join(parent, `${name}.tar`);
  run("tar", [
    ...["--sort=name", `--mtime=@${epoch}`, "--owner=0", "--group=0", "--numeric-owner", "--format=gnu"],
    ...["--mode=u+rwX,go+rX,go-w", "-cf", tar, "-C", parent, name],
  ]);
  run("gzip", ["-9", "-n", "-f", tar]);
  renameSync(`${tar}.gz`, file);
}
