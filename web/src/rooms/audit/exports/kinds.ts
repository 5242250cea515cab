/** Kinds of destinations, as people know them. */
export const KINDS = [
  { value: 's3', label: 'Amazon S3' },
  { value: 'azure_blob', label: 'Azure Blob Storage' },
  { value: 'gcs', label: 'Google Cloud Storage' },
  { value: 'sftp', label: 'SFTP server' },
  { value: 'folder', label: 'Folder on this server' },
];
