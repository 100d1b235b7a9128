// What an archive contains: a bill of materials (CycloneDX) and the licences of everything that others wrote.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const LICENCE_FILE = /^(licen[cs]e|copying|notice)(\.|-|$)/i;

/** Locked packages that a node needs, sorted by path: `{ path, name, version, integrity, license }`. */
export function bundledPackages(root) {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  return Object.entries(packages)
    .filter(([path, { dev, link }]) => path.startsWith("node_modules/") && !dev && !link)
    .map(([path, entry]) => ({ path, name: path.replace(/^.*node_modules\//, ""), ...entry }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function component({ name, version, integrity, license }) {
  const [group, short] = name.startsWith("@") ? name.split("/") : [undefined, name];
  return {
    type: "library",
    "bom-ref": `${name}@${version}`,
    ...(group && { group }),
    name: short,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    ...(integrity && {
      hashes: [
        { alg: "SHA-512", content: Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex") },
      ],
    }),
    ...(license && { licenses: [{ expression: license }] }),
  };
}

/**
 * Returns a CycloneDX 1.5 document. It contains neither a time nor a serial number, so that equal contents give equal
 * bytes.
 * @param packages packages in the archive, as from `bundledPackages`
 * @param nodeVersion version of the Node.js in the archive; undefined if there is none
 */
export function billOfMaterials({ name, version, license, description }, packages, nodeVersion) {
  const components = packages.map(component);
  if (nodeVersion !== undefined)
    components.push({
      type: "platform",
      "bom-ref": `node@${nodeVersion}`,
      name: "node",
      version: nodeVersion,
      purl: `pkg:generic/node@${nodeVersion}`,
    });
  const unique = [...new Map(components.map((entry) => [entry["bom-ref"], entry])).values()];
  return `${JSON.stringify(
    {
      bomFormat: "CycloneDX",
      specVersion: "1.5",
      version: 1,
      metadata: {
        component: {
          type: "application",
          "bom-ref": `${name}@${version}`,
          name,
          version,
          description,
          purl: `pkg:npm/${name}@${version}`,
          licenses: [{ license: { id: license } }],
        },
      },
      components: unique,
    },
    null,
    2,
  )}\n`;
}

function licenceTexts(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => LICENCE_FILE.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), "utf8").trim());
}

/**
 * Returns the licence texts of all packages, and of Node.js, as one document.
 * @param folder contains `node_modules` with the packages
 * @param nodeLicence path of the licence of Node.js; undefined if the archive contains none
 */
export function thirdPartyNotices(folder, packages, nodeLicence) {
  const sections = packages
    .filter(({ path }) => existsSync(join(folder, path)))
    .map(({ path, name, version, license }) => {
      const texts = licenceTexts(join(folder, path));
      return `${name} ${version} (${license ?? "licence not stated"})\n\n${texts.join("\n\n") || "The package contains no licence file."}`;
    });
  if (nodeLicence !== undefined) sections.push(`Node.js\n\n${readFileSync(nodeLicence, "utf8").trim()}`);
  const line = "=".repeat(80);
  return `Holdfast contains the following packages.\n\n${sections.map((text) => `${line}\n${text}\n`).join("\n")}`;
}
