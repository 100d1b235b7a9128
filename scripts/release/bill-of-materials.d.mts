export interface BundledPackage {
  readonly path: string;
  readonly name: string;
  readonly version: string;
}
export function bundledPackages(root: string): readonly BundledPackage[];
export function billOfMaterials(
  manifest: Readonly<Record<string, unknown>>,
  packages: readonly BundledPackage[],
  nodeVersion: string | undefined,
): string;
