import { command } from "../../kernel/call/command.ts";

export default command({
  name: "completions",
  summary: "Print a completion script for a shell",
  positionals: [
    {
      name: "SHELL",
      summary: "bash, zsh, fish or powershell",
      required: true,
      choices: ["bash", "zsh", "fish", "powershell"],
    },
  ],
  flags: {},
  json: false,
  examples: [
    {
      command: "jig completions bash > ~/.local/share/bash-completion/completions/jig",
      explains: "for bash",
    },
    { command: "jig completions fish > ~/.config/fish/completions/jig.fish", explains: "for fish" },
  ],
  run: async (_host, args) => (await import("./completions.ts")).completions(args.positionals[0]!),
});
