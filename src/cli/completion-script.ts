/** Completion for the user's own shell, made from the table of commands. */
import type { OptionSpec } from './command-spec.ts';
import {
  type CommandName,
  type CommandPage,
  type CommandPages,
  commandNames,
  type VerbOf,
} from './commands.ts';

/** A shell that there is a script for. */
export type CompletedShell = VerbOf<'completion'>;

/** The script that makes a shell complete `dirigent`. */
export function completionScript(shell: CompletedShell, pages: CommandPages): string {
  return SCRIPTS[shell](pages);
}

type Option = OptionSpec<string>;

const SCRIPTS: Readonly<Record<CompletedShell, (pages: CommandPages) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

const FLAGS = ['--help', '--version'];

/** What can be typed after the command itself. */
const firstWords = (pages: CommandPages, name: CommandName): string[] =>
  Object.keys(pages[name].verbs ?? {});

const spelled = ([long, { short }]: [string, Option]): string[] =>
  short === undefined ? [`--${long}`] : [`-${short}`, `--${long}`];

/** The first sentence of what help says, short enough for a line beside a candidate. */
function brief(help: string): string {
  const [sentence = ''] = help.split(/\n|[;.](?:\s|$)/);
  return sentence.trim();
}

/** Options that take a value, by what their value is completed with. */
function valueCases(
  pages: CommandPages,
  name: CommandName,
): { patterns: string[]; values: string }[] {
  return Object.entries(pages[name].options)
    .filter(([, { type }]) => type === 'string')
    .map(([long, option]) => ({
      patterns: spelled([long, option]).map((each) => `'${name} ${each}'`),
      values: compgenOf(option),
    }));
}

function compgenOf({ values, completes }: Pick<Option, 'values' | 'completes'>): string {
  if (values !== undefined) return `-W '${values.join(' ')}'`;
  if (completes === 'directory') return '-d';
  return completes === 'file' ? '-f' : '';
}

function bashScript(pages: CommandPages): string {
  const after = commandNames().flatMap((name) =>
    valueCases(pages, name).map(
      ({ patterns, values }) => `    ${patterns.join(' | ')}) _dirigent_offer ${values}; return ;;`,
    ),
  );
  const options = commandNames().map((name) => {
    const words = Object.entries(pages[name].options).flatMap(spelled).join(' ');
    return `      ${name}) _dirigent_offer -W '${words}' ;;`;
  });
  const words = commandNames().map((name) => {
    const verbs = firstWords(pages, name);
    const operands = compgenOf({ completes: pages[name].operands });
    if (verbs.length === 0) return `    ${name}) _dirigent_offer ${operands} ;;`;
    return `    ${name}) ((COMP_CWORD == 2)) && _dirigent_offer -W '${verbs.join(' ')}' ;;`;
  });
  return `# Completion of dirigent for bash. For this shell: source <(dirigent completion bash)
# Names of files may hold blanks, so each candidate is a line.
_dirigent_offer() {
  local candidate
  (($#)) || return 0
  [[ $1 == -W ]] || compopt -o filenames 2>/dev/null
  while IFS= read -r candidate; do
    COMPREPLY+=("$candidate")
  done < <(compgen "$@" -- "\${COMP_WORDS[COMP_CWORD]}")
}
_dirigent() {
  COMPREPLY=()
  local word="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]}"
  if ((COMP_CWORD == 1)); then
    _dirigent_offer -W '${[...commandNames(), 'help', ...FLAGS].join(' ')}'
    return
  fi
  case "$command \${COMP_WORDS[COMP_CWORD - 1]}" in
${after.join('\n')}
  esac
  if [[ $word == -* ]]; then
    case "$command" in
${options.join('\n')}
    esac
    return
  fi
  case "$command" in
${words.join('\n')}
    help) _dirigent_offer -W '${commandNames().join(' ')}' ;;
  esac
}
complete -F _dirigent dirigent
`;
}

/** In single quotes, as zsh's \`_arguments\` and \`_describe\` read it. */
const zshText = (text: string): string =>
  text.replaceAll(/[\\:[\]]/g, (special) => `\\${special}`).replaceAll("'", "'\\''");

function zshOption([long, option]: [string, Option]): string {
  const [one = '', other] = spelled([long, option]);
  const action = { directory: '_files -/', file: '_files' };
  const does =
    option.values !== undefined
      ? `(${option.values.join(' ')})`
      : option.completes === undefined
        ? ''
        : action[option.completes];
  const value = option.type === 'string' ? `:${zshText(option.value ?? 'value')}:${does}` : '';
  const rest = `[${zshText(brief(option.help))}]${value}`;
  if (option.multiple === true) return `'*${one}${rest}'`;
  if (other === undefined) return `'${one}${rest}'`;
  return `'(${one} ${other})'{${one},${other}}'${rest}'`;
}

function zshScript(pages: CommandPages): string {
  const described = commandNames().map((name) => `'${name}:${zshText(pages[name].summary)}'`);
  const cases = commandNames().map((name) => {
    const { options, operands, verbs = {} } = pages[name];
    const words = Object.entries(verbs).map(
      ([verb, { help }]) => `${verb}\\:"${zshText(brief(help)).replaceAll('"', '')}"`,
    );
    const operand =
      words.length > 0
        ? [`'1:what to do:((${words.join(' ')}))'`]
        : operands === undefined
          ? []
          : [`'*:operand:_files${operands === 'directory' ? ' -/' : ''}'`];
    const specs = [...Object.entries(options).map(zshOption), ...operand];
    return `    ${name})\n      _arguments -s \\\n        ${specs.join(' \\\n        ')}\n      ;;`;
  });
  return `#compdef dirigent
# Completion of dirigent for zsh. For this shell: source <(dirigent completion zsh)
_dirigent() {
  local -a commands
  commands=(
    ${described.join('\n    ')}
    'help:what a command does'
  )
  if ((CURRENT == 2)); then
    _describe -t commands command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
${cases.join('\n')}
    help) ((CURRENT == 2)) && _describe -t commands command commands ;;
  esac
}
if [[ $funcstack[1] == _dirigent ]]; then
  _dirigent "$@"
else
  compdef _dirigent dirigent
fi
`;
}

const fishText = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function fishOption(name: CommandName, [long, option]: [string, Option]): string {
  const parts = [`complete -c dirigent -n ${runs(name)} -l ${long}`];
  if (option.short !== undefined) parts.push(`-s ${option.short}`);
  if (option.type === 'string') parts.push(option.completes === 'file' ? '-r' : '-x');
  if (option.values !== undefined) parts.push(`-a ${fishText(option.values.join(' '))}`);
  if (option.completes === 'directory') parts.push("-a '(__fish_complete_directories)'");
  if (option.completes === 'file') parts.push('-F');
  return [...parts, `-d ${fishText(brief(option.help))}`].join(' ');
}

/** Not `__fish_seen_subcommand_from`: verbs of one command may be called as another command is. */
const runs = (name: CommandName | 'help'): string => `'__dirigent_runs ${name}'`;

function fishOperands(name: CommandName, operands: CommandPage['operands']): string[] {
  if (operands === undefined) return [];
  const files = operands === 'directory' ? "-a '(__fish_complete_directories)'" : '-F';
  return [`complete -c dirigent -n ${runs(name)} ${files}`];
}

function fishScript(pages: CommandPages): string {
  const commands = commandNames().flatMap((name) => {
    const { summary, options, verbs = {}, operands } = pages[name];
    const all = Object.keys(verbs).join(' ');
    return [
      `complete -c dirigent -n __fish_use_subcommand -a ${name} -d ${fishText(summary)}`,
      ...Object.entries(verbs).map(
        ([verb, { help }]) =>
          `complete -c dirigent -n '__dirigent_runs ${name}; and not __fish_seen_subcommand_from ${all}' -a ${verb} -d ${fishText(brief(help))}`,
      ),
      ...Object.entries(options).map((option) => fishOption(name, option)),
      ...fishOperands(name, operands),
    ];
  });
  return `# Completion of dirigent for fish. For this shell: dirigent completion fish | source
function __dirigent_runs
    set -l words (commandline -opc)
    test "$words[2]" = $argv[1]
end
complete -c dirigent -f
${FLAGS.map((flag) => `complete -c dirigent -n __fish_use_subcommand -l ${flag.slice(2)}`).join('\n')}
${commands.join('\n')}
complete -c dirigent -n ${runs('help')} -a ${fishText(commandNames().join(' '))}
`;
}
