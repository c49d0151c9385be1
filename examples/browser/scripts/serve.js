// Serves the page on this machine: npm start. PORT is 8789.
import { startServer } from './server.js';

try {
  const server = await startServer(Number(process.env.PORT ?? 8789));
  console.log(`${server.address}/`);
  console.log(`Content-Security-Policy: ${server.policy}`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void server.close());
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
