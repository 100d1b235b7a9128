// The Debian package: the folder of an archive in /usr/lib/holdfast, a service, settings and a user.
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { run } from "../packages.mjs";
import { nodeBuilds } from "./archive.mjs";

const MAINTAINER = "Holdfast maintainers <maintainers@holdfast.invalid>";

/** Size of all files below a folder, KiB. */
function kibibytesIn(folder) {
  let sum = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile())
      sum += Math.ceil(statSync(join(entry.parentPath ?? entry.path, entry.name)).size / 1024);
  return sum;
}

/**
 * Makes the package with `dpkg-deb`. Equal contents give equal bytes.
 * @param folder folder of an archive, see `makeArchiveFolder`
 * @param epoch time of all files, seconds since 1970
 */
export function makeDebianPackage({ root, folder, manifest, platform, work, file, epoch }) {
  const tree = join(work, `debian-${platform}`);
  const deploy = join(root, "deploy");
  const inTree = (path) => {
    const full = join(tree, path);
    mkdirSync(dirname(full), { recursive: true });
    return full;
  };
  cpSync(folder, inTree("usr/lib/holdfast"), { recursive: true, verbatimSymlinks: true });
  const documents = inTree("usr/share/doc/holdfast");
  mkdirSync(documents, { recursive: true });
  for (const name of ["README.md", "CHANGELOG.md", "THIRD_PARTY_NOTICES.txt", "sbom.cdx.json"])
    copyFileSync(join(folder, name), join(documents, name));
  copyFileSync(join(folder, "LICENSE"), join(documents, "copyright"));
  cpSync(join(folder, "share"), inTree("usr/share"), { recursive: true });
  rmSync(join(tree, "usr/lib/holdfast/share"), { recursive: true });
  run("find", [join(tree, "usr/share/man"), "-type", "f", "-exec", "gzip", "-9n", "{}", "+"]);
  symlinkSync("../lib/holdfast/bin/holdfast", inTree("usr/bin/holdfast"));
  copyFileSync(join(deploy, "systemd/holdfast.service"), inTree("usr/lib/systemd/system/holdfast.service"));
  copyFileSync(join(deploy, "debian/holdfast.yaml"), inTree("etc/holdfast/holdfast.yaml"));

  const control = inTree("DEBIAN/control");
  writeFileSync(join(dirname(control), "conffiles"), "/etc/holdfast/holdfast.yaml\n");
  for (const name of ["postinst", "prerm", "postrm"]) {
    copyFileSync(join(deploy, "debian", name), join(dirname(control), name));
    run("chmod", ["0755", join(dirname(control), name)]);
  }
  writeFileSync(
    control,
    [
      `Package: ${manifest.name}`,
      `Version: ${manifest.version}`,
      `Architecture: ${nodeBuilds.platforms[platform].debian}`,
      `Maintainer: ${MAINTAINER}`,
      `Installed-Size: ${kibibytesIn(tree)}`,
      "Depends: adduser, libc6 (>= 2.28), libstdc++6",
      "Recommends: systemd, ca-certificates",
      "Section: net",
      "Priority: optional",
      "Description: full node for the LTO protocol family",
      ` ${manifest.description}.`,
      " The package contains the Node.js that it runs on.",
      "",
    ].join("\n"),
  );
  run("chmod", ["-R", "u+rwX,go+rX,go-w", tree]);
  run("dpkg-deb", ["--root-owner-group", "-Zxz", "--build", tree, file], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) },
  });
  rmSync(tree, { recursive: true });
}
