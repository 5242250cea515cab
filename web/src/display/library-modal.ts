// Loaded with the first dialog that opens (./Modal).
export { Modal } from '@mantine/core';
