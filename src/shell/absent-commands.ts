/** Commands that a world has not, although people look for them: what is to be used instead. */
import { meant } from '../nearest.ts';

/** One sentence for many names. */
const ADVICE: ReadonlyArray<readonly [names: string, advice: string]> = [
  [
    'make cmake ninja meson bazel gcc cc g++ c++ clang ld as ar nm objdump go rustc cargo javac java mvn gradle dotnet swift kotlinc ghc',
    'nothing is compiled here: a world has files and commands, and a tool of the harness can build in the host (ls /harness/tools)',
  ],
  [
    'perl ruby php lua Rscript R julia deno bun tclsh',
    'this language is not here: use awk, sed, jq, or bash itself',
  ],
  [
    'pip pip3 pipx uv poetry conda npm npx yarn pnpm gem bundle composer apt apt-get aptitude dpkg yum dnf apk pacman brew snap',
    'nothing can be installed here; ls /bin shows all commands',
  ],
  [
    'sudo su doas',
    'there is one user here, and nothing more to be allowed by it: what may be done is said in /harness/policy.yaml',
  ],
  [
    'ssh scp sftp rsync ftp nc ncat netcat telnet ping dig nslookup host traceroute nmap tcpdump ifconfig ip netstat ss iptables',
    'there is no network behind this command: services are files under /mnt, and cp copies between directories',
  ],
  [
    'gh hub glab',
    'issues and pull requests are files: look under /mnt (ls /mnt; cat DIR/README.md)',
  ],
  ['svn hg', 'there is no version control here: cp keeps a copy, diff compares'],
  [
    'docker podman kubectl helm terraform ansible vagrant aws gcloud az systemctl service journalctl launchctl',
    'no services and machines are run from here: a tool of the harness can (ls /harness/tools)',
  ],
  [
    'crontab at batch',
    'prompts with a date are files: write one to /session/schedule (cat /session/schedule/README.md)',
  ],
  [
    'vi vim nvim nano emacs pico joe code subl',
    'at a terminal edit PATH opens your editor; in a script use sed -i, ed, or a redirection',
  ],
  [
    'psql mysql mariadb redis-cli mongo mongosh',
    'there are no databases to connect to; sqlite3 works on files',
  ],
  [
    'free top htop btop vmstat iostat uptime w lscpu lspci lsusb lsmem lsblk lsb_release dmesg lsof strace ltrace gdb perf valgrind fuser',
    'there is no machine to look at here: a command runs alone, within limits of time and memory (df shows the room for files)',
  ],
  [
    'chroot unshare nsenter useradd userdel usermod passwd adduser visudo chattr lsattr getfacl setfacl mkfs fdisk parted losetup swapon insmod modprobe sysctl reboot shutdown halt poweroff',
    'there is no system to administer here: files, modes and mounts are all that there is',
  ],
  [
    'umount',
    'mounts are named in dirigent.config.ts, by the deployer: none can be taken away from inside',
  ],
  ['mkfifo mknod', 'there are only files, directories and links here: use a pipe, or a file'],
  [
    'screen tmux script expect dialog whiptail',
    'there is no terminal to be run in here: commands run one after the other',
  ],
  [
    'gpg gpg2 ssh-keygen age',
    'no keys are kept here: what is to be signed or encrypted is so outside',
  ],
  ['mail sendmail mutt lp lpr', 'nothing is sent from here but by writing to a service under /mnt'],
  [
    'convert magick ffmpeg identify exiftool pdftotext pandoc xdg-open open pbcopy pbpaste xclip xsel',
    'there is no such program here: text is worked on with the commands in /bin, and a tool of the harness can do more (ls /harness/tools)',
  ],
  ['ab hey wrk siege', 'nothing can be asked often from here: services are files under /mnt'],
  [
    'mlr csvcut csvlook csvsort csvgrep csvjson csvstat q',
    'for CSV there is xan (xan --help), for JSON jq',
  ],
  ['xmllint xmlstarlet xpath', 'for XML there is xq (xq --help), for HTML html-to-markdown'],
  ['ack ag', 'there is rg, and grep -r'],
  ['exa eza lsd', 'there is ls, and tree'],
  ['fzf', 'nothing can be chosen from here: use grep'],
];

/** What to do instead of a command that is not here; null where nobody knows. */
function adviceOf(name: string): string | null {
  const versioned = name.replace(/(?:-?\d+(?:\.\d+)*)$/, '');
  for (const [names, advice] of ADVICE) {
    const list = names.split(' ');
    if (list.includes(name) || list.includes(versioned)) return advice;
  }
  return null;
}

/**
 * The line for stderr after `command not found`; empty where there is nothing to say.
 * @param commands the names of those that are here; null where whoever asks is told of near names by another
 */
export function adviceForAbsent(name: string, commands: Iterable<string> | null): string {
  const advice = adviceOf(name);
  if (advice !== null) return `dirigent: ${advice}\n`;
  const near = commands === null ? null : meant(name, [...commands]);
  return near === null ? '' : `dirigent: did you mean ${near}? ls /bin shows all commands\n`;
}
