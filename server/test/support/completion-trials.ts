/** What a user has typed, and all that a shell may offer for the last word. */
export const completionTrials: [typed: string, offered: string[]][] = [
  ['trawl ta', ['tasks']],
  ['trawl tasks re', ['retry']],
  ['trawl --quiet webhooks rot', ['rotate-secret']],
  ['trawl tasks list --stat', ['--status']],
  ['trawl tasks ls --print', ['--print-curl']],
  ['trawl tasks list --status fa', ['failed']],
  ['trawl extract --format js', ['json']],
  ['trawl jobs wait --kind cr', ['crawl']],
  ['trawl completion z', ['zsh']],
  ['trawl profile sa', ['save']],
  ['trawl config --verb', ['--verbose']],
]
