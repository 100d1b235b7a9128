// Man pages and shell completions, written from the definitions of the commands.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** Commands only keep this access until they run. */
const noIo = { out: () => {}, err: () => {}, environment: {} };

/**
 * All commands: `{ path: "wallet passwd", about, usage, arguments, options, commands }`. The root has the path `""`.
 */
export async function commandTree(root) {
  const { createProgram } = await import(pathToFileURL(join(root, "dist", "cli", "program.js")).href);
  const describe = (command, path) => {
    const help = command.createHelp();
    return {
      path,
      about: command.description(),
      usage: help.commandUsage(command),
      arguments: help.visibleArguments(command).map((argument) => ({
        name: argument.name(),
        about: help.argumentDescription(argument),
      })),
      options: command.options.map((option) => ({
        flags: option.flags,
        long: option.long,
        about: help.optionDescription(option),
      })),
      commands: command.commands.map((child) => describe(child, `${path} ${child.name()}`.trim())),
    };
  };
  return describe(createProgram(noIo), "");
}

const all = (command) => [command, ...command.commands.flatMap(all)];

/** Escapes a text for roff: backslashes, hyphens that users copy, and lines that look like requests. */
const roff = (text) =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/gm, "\\&$1");

function manPage(command, title, date, version) {
  const entry = (name, about) => `.TP\n.B ${roff(name)}\n${roff(about)}\n`;
  const synopsis = all(command)
    .filter(({ commands }) => commands.length === 0)
    .map(({ usage }) => `.br\n${roff(usage)}\n`)
    .join("");
  const details = all(command).flatMap(({ path, about, arguments: operands, options, commands }) => {
    if (operands.length + options.length === 0 || (path === "" && commands.length > 0)) return [];
    const heading =
      path === command.path ? ".SH OPTIONS\n" : `.SS ${roff(`holdfast ${path}`)}\n${roff(about)}.\n`;
    return [
      heading,
      ...operands.map(({ name, about: text }) => entry(name, text)),
      ...options.map(({ flags, about: text }) => entry(flags, text)),
    ];
  });
  const list =
    command.path === ""
      ? [
          ".SH COMMANDS\n",
          ...command.commands.map(({ path, about }) => entry(path, `${about}. See holdfast-${path}(1).`)),
        ]
      : [];
  return [
    `.TH ${roff(title.toUpperCase())} 1 "${date}" "Holdfast ${version}"\n`,
    `.SH NAME\n${roff(title)} \\- ${roff(command.about)}\n`,
    `.SH SYNOPSIS\n${synopsis.replace(/^\.br\n/, "")}`,
    ...list,
    ...details,
    command.path === "" ? "" : ".SH SEE ALSO\n.BR holdfast (1)\n",
  ].join("");
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const longFlags = ({ options }) => options.flatMap(({ long }) => long ?? []);
/** Shell patterns of the paths of all commands but the root. */
const pathPattern = (tree) =>
  all(tree)
    .slice(1)
    .map(({ path }) => quoted(path))
    .join("|");

/** Completes commands and flags; anything else is a file name. */
export function bashCompletion(tree) {
  const cases = all(tree).map(
    (command) =>
      `    ${quoted(command.path)}) commands=${quoted(command.commands.map(({ path }) => path.split(" ").at(-1)).join(" "))}; flags=${quoted(["--help", ...longFlags(command)].join(" "))} ;;`,
  );
  return `# bash completion for holdfast
_holdfast() {
  local current=\${COMP_WORDS[COMP_CWORD]} path="" commands="" flags="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in ${pathPattern(tree)}) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${cases.join("\n")}
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$commands" -- "$current"))
  fi
}
complete -o default -F _holdfast holdfast
`;
}

export function zshCompletion(tree) {
  const item = (name, about) => quoted(`${name.replaceAll(":", "\\:")}:${about}`);
  const cases = all(tree).map(({ path, commands, options }) => {
    const names = commands.map((child) => item(child.path.split(" ").at(-1), child.about));
    const flags = options.flatMap(({ long, about }) => (long ? item(long, about) : []));
    return `    (${quoted(path)}) commands=(${names.join(" ")}); flags=('--help:show help' ${flags.join(" ")}) ;;`;
  });
  return `#compdef holdfast
_holdfast() {
  local -a commands flags
  local path_of_command="" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${path_of_command:+$path_of_command }$word" in
      (${pathPattern(tree)}) path_of_command="\${path_of_command:+$path_of_command }$word" ;;
    esac
  done
  case "$path_of_command" in
${cases.join("\n")}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe option flags
  elif (( $#commands )); then
    _describe command commands
  else
    _files
  fi
}
_holdfast "$@"
`;
}

export function fishCompletion(tree) {
  const lines = all(tree).flatMap((command) => {
    const condition = `-n ${quoted(`test (__holdfast_path) = ${quoted(command.path)}`)}`;
    return [
      ...command.commands.map(
        ({ path, about }) =>
          `complete -c holdfast ${condition} -f -a ${path.split(" ").at(-1)} -d ${quoted(about)}`,
      ),
      ...command.options.flatMap(({ long, about }) =>
        long ? `complete -c holdfast ${condition} -l ${long.slice(2)} -d ${quoted(about)}` : [],
      ),
    ];
  });
  const paths = all(tree)
    .slice(1)
    .map(({ path }) => quoted(path))
    .join(" ");
  return `# fish completion for holdfast
function __holdfast_path
  set -l path ""
  for word in (commandline -opc)[2..-1]
    set -l longer (string trim "$path $word")
    contains -- $longer ${paths}; and set path $longer
  end
  echo "$path"
end
${lines.join("\n")}
`;
}

/**
 * @param folder is created
 * @param epoch date of the man pages, seconds since 1970
 */
export async function writeManuals(root, folder, epoch) {
  const tree = await commandTree(root);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const date = new Date(Number(epoch) * 1_000).toISOString().slice(0, 10);
  const write = (path, text) => {
    const full = join(folder, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
  };
  for (const command of [tree, ...tree.commands]) {
    const title = command.path === "" ? "holdfast" : `holdfast-${command.path}`;
    write(`man/man1/${title}.1`, manPage(command, title, date, version));
  }
  write("bash-completion/completions/holdfast", bashCompletion(tree));
  write("zsh/vendor-completions/_holdfast", zshCompletion(tree));
  write("fish/vendor_completions.d/holdfast.fish", fishCompletion(tree));
}
