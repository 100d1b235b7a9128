// Makes everything that a release consists of: `npm run release -- FOLDER`. Two runs give the same bytes.
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../packages.mjs";
import { makeArchiveFolder, nodeBuilds, packFolder } from "./archive.mjs";
import { billOfMaterials, bundledPackages } from "./bill-of-materials.mjs";
import { makeDebianPackage } from "./debian.mjs";
import { writeManuals } from "./manuals.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

function usage() {
  console.error(`Usage: npm run release -- FOLDER               everything, into a new folder
       npm run release -- --unpacked PLATFORM FOLDER    only the folder of an archive; PLATFORM: ${Object.keys(nodeBuilds.platforms).join(", ")}`);
  process.exit(2);
}

const args = process.argv.slice(2);
const onlyPlatform = args[0] === "--unpacked" ? args.splice(0, 2)[1] : undefined;
const isPlatform = onlyPlatform === undefined || Object.hasOwn(nodeBuilds.platforms, onlyPlatform);
const [folder] = args;
if (args.length !== 1 || folder.startsWith("-") || !isPlatform) usage();
const output = resolve(process.env.INIT_CWD ?? ".", folder);
if (existsSync(output) && readdirSync(output).length > 0) {
  console.error(`The folder ${output} is not empty: name a new one`);
  process.exit(2);
}

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
/** Time of all files: that of the commit, so that it does not depend on the machine. */
const epoch =
  process.env.SOURCE_DATE_EPOCH ?? run("git", ["log", "-1", "--format=%ct"], { cwd: root }).trim();
const { name, version } = manifest;

function makeRelease(made, work, packed, manuals) {
  writeFileSync(
    join(made, `${name}-${version}.cdx.json`),
    billOfMaterials(manifest, bundledPackages(root), undefined),
  );
  for (const [platform, { debian }] of Object.entries(nodeBuilds.platforms)) {
    console.error(`Making the archive and the Debian package for ${platform} ...`);
    const title = `${name}-${version}-${platform}`;
    const tree = join(work, title);
    makeArchiveFolder({ root, packed, manuals, platform, folder: tree });
    packFolder(work, title, join(made, `${title}.tar.gz`), epoch);
    const file = join(made, `${name}_${version}_${debian}.deb`);
    makeDebianPackage({ root, folder: tree, manifest, platform, work, file, epoch });
    rmSync(tree, { recursive: true });
  }
  const sums = readdirSync(made)
    .sort()
    .map(
      (file) =>
        `${createHash("sha256")
          .update(readFileSync(join(made, file)))
          .digest("hex")}  ${file}\n`,
    )
    .join("");
  writeFileSync(join(made, "SHA256SUMS"), sums);
  cpSync(made, output, { recursive: true });
  console.log(sums.trimEnd());
}

const work = mkdtempSync(join(tmpdir(), "holdfast-release-"));
const made = join(work, "made");
try {
  mkdirSync(made);
  console.error("Packing the npm package ...");
  run("npm", ["pack", "--pack-destination", made, "--loglevel=error"], { cwd: root });
  const packed = join(made, `${name}-${version}.tgz`);
  const manuals = join(work, "share");
  await writeManuals(root, manuals, epoch);
  if (onlyPlatform === undefined) makeRelease(made, work, packed, manuals);
  else makeArchiveFolder({ root, packed, manuals, platform: onlyPlatform, folder: output });
} finally {
  rmSync(work, { recursive: true, force: true });
}
