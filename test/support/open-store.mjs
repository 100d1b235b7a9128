// Opens a store, which upgrades an old one, and closes it. Prints the error if that fails. With COMMIT, kills itself after
// that commit of the upgrade.
// Usage: node open-store.mjs DIRECTORY NETWORK [COMMIT]
import { openStore } from "../../dist/storage/store.js";

const [directory, network, killAfter = "0"] = process.argv.slice(2);
let left = Number(killAfter);
const onUpgrade = ({ step }) => {
  if (step === "commit" && --left === 0) process.kill(process.pid, "SIGKILL");
};
try {
  await (await openStore(directory, { network, onUpgrade })).close();
} catch (error) {
  console.log(error.message);
}
