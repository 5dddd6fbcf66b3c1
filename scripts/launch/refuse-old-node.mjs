// Old syntax only, since any version of Node may run this.
const running = process.versions.node

if (Number(running.split('.')[0]) < 18) {
  console.error(`trawl needs Node 18 or newer to install itself (this is ${running}).`)
  process.exit(78)
}
