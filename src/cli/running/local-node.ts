export async function defaultNodeUrl(): Promise<string> {
  const { apiSettings } = await import("../../config/groups/api-settings.ts");
  const { dev } = await import("../../profiles/index.ts");
  return `http://127.0.0.1:${apiSettings.port.defaultFor(dev, "")}`;
}
