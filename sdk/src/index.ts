/**
 * The client for a Trawl service. It has no dependencies and runs wherever `fetch` does.
 * The methods follow the API's routes, one for one, as those arrive.
 */
export const sdkVersion = '0.1.0'
