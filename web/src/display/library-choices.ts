// Loaded when a list of choices is first used (./Select, ./Autocomplete).
export { Autocomplete, Select } from '@mantine/core';
