export interface DescribedCommand {
  readonly path: string;
  readonly about: string;
  readonly commands: readonly DescribedCommand[];
}
export function commandTree(root: string): Promise<DescribedCommand>;
export function writeManuals(root: string, folder: string, epoch: number | string): Promise<void>;
