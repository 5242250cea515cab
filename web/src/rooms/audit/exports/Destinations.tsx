import { Alert, Anchor, Button, Group, PasswordInput, Select, SimpleGrid, Text, TextInput, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { FormDialog } from '../../../display/FormDialog';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Remove } from '../../../display/Remove';
import { createDestination, destinationsQuery, removeDestination, testDestination, useChange, type Destination, type Settings } from './queries';

const KINDS = [
  { value: 's3', label: 'Amazon S3' },
  { value: 'azure_blob', label: 'Azure Blob Storage' },
  { value: 'gcs', label: 'Google Cloud Storage' },
  { value: 'sftp', label: 'SFTP server' },
  { value: 'folder', label: 'Folder on this server' },
];
interface Field { name: string; label: string; description?: string }
/** Fields of each kind beside name, prefix and secret. */
const FIELDS: Record<string, Field[]> = {
  s3: [{ name: 'bucket', label: 'Bucket' }, { name: 'region', label: 'Region' }, { name: 'endpoint', label: 'Endpoint' }, { name: 'access_key_id', label: 'Access key' }],
  azure_blob: [{ name: 'account', label: 'Storage account' }, { name: 'container', label: 'Container' }, { name: 'endpoint', label: 'Endpoint' }],
  gcs: [{ name: 'bucket', label: 'Bucket' }, { name: 'endpoint', label: 'Endpoint' }],
  sftp: [
    { name: 'host', label: 'Host' }, { name: 'port', label: 'Port', description: '22 unless given' }, { name: 'username', label: 'User' },
    { name: 'host_key', label: 'Host key fingerprint', description: 'SHA256:... Test the connection without it to see the fingerprint that the server presents' },
  ],
  folder: [],
};
const SECRETS: Record<string, string> = { s3: 'Secret access key', azure_blob: 'Account key or SAS token', gcs: 'JSON key of a service account', sftp: 'Password or private key' };
const SETTINGS = ['bucket', 'region', 'endpoint', 'access_key_id', 'account', 'container', 'host', 'port', 'username', 'host_key'];
const MARKED = ['name', 'type', 'prefix', 'secret', ...SETTINGS.map((name) => `settings.${name}`)];

/** Destinations that exports are carried to. */
export function Destinations() {
  const { data, error, refetch } = useQuery(destinationsQuery);
  const [adding, setAdding] = useState(false);
  const test = useChange(testDestination);
  const columns: Column<Destination>[] = [
    { id: 'name', header: 'Destination', lead: true, sortBy: (row) => row.name, cell: (row) => <Text size="sm" fw={550}>{row.name}</Text> },
    { id: 'kind', header: 'Type', cell: (row) => KINDS.find(({ value }) => value === row.type)?.label ?? row.type },
    { id: 'place', header: 'Place', cell: (row) => [row.settings.bucket ?? row.settings.container ?? row.settings.host, row.prefix].filter(Boolean).join('/') || 'Top folder' },
    {
      id: 'actions', header: '',
      cell: (row) => (
        <Group gap="md">
          <Anchor component="button" size="sm" aria-label={`Test connection to ${row.name}`} onClick={() => test.mutate(row.id)}>{test.isPending && test.variables === row.id ? 'Testing' : 'Test connection'}</Anchor>
          <Remove room="exports" what={row.name} explain="Exports are no longer delivered to it. Files that it has stay." remove={() => removeDestination(row.id)} />
        </Group>
      ),
    },
  ];
  return (
    <Panel title="Destinations" flush actions={<Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>Add destination</Button>}>
      {error ? <ProblemAlert error={error} onRetry={() => void refetch()} /> : (
        <DataTable bare label="Destinations" columns={columns} rows={data?.items} rowId={(row) => row.id} pageSize={10} empty={<EmptyState title="No destinations">Exports can be downloaded. Add a bucket to have them delivered.</EmptyState>} />
      )}
      {test.data && <Alert m="md" color={test.data.reachable ? 'green' : 'red'} title={test.data.reachable ? 'Reachable' : 'Not reachable'}>{test.data.reachable ? `A small file was written to ${test.data.address}` : test.data.error}</Alert>}
      <ProblemAlert error={test.error} />
      {adding && <DestinationForm onClose={() => setAdding(false)} />}
    </Panel>
  );
}

interface Values { name: string; type: string; prefix: string; secret: string; settings: Record<string, string> }

function settingsOf(kind: string, values: Record<string, string>): Settings {
  const given = (FIELDS[kind] ?? []).map(({ name }) => [name, values[name]?.trim()] as const).filter(([, value]) => value);
  const { port, ...texts } = Object.fromEntries(given);
  return { ...texts, ...(port && { port: Number(port) }) };
}

const checkPort = (value?: string) => (!value?.trim() || (/^\d{1,5}$/.test(value.trim()) && Number(value) >= 1 && Number(value) <= 65_535) ? null : 'must be 1 to 65535');

function DestinationForm({ onClose }: { onClose: () => void }) {
  const create = useChange(createDestination);
  const form = useForm<Values>({ initialValues: { name: '', type: 's3', prefix: '', secret: '', settings: {} }, validate: { settings: { port: checkPort } } });
  const kind = form.values.type;
  const fields = FIELDS[kind] ?? [];
  const submit = form.onSubmit(({ settings, ...values }) => {
    const onSuccess = () => { announce('Destination added'); onClose(); };
    create.mutate({ ...values, settings: settingsOf(kind, settings) }, { onSuccess, onError: (error: Error) => form.setErrors(fieldMessages(error)) });
  });
  return (
    <FormDialog title="Add a destination" submit="Add destination" error={create.error} marked={MARKED} pending={create.isPending} onSubmit={submit} onClose={onClose}>
      <TextInput label="Name" withAsterisk maxLength={100} data-autofocus {...form.getInputProps('name')} />
      <Select label="Type" data={KINDS} allowDeselect={false} {...form.getInputProps('type')} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {fields.map(({ name, label, description }) => <TextInput key={`${kind}-${name}`} label={label} description={description} autoComplete="off" {...form.getInputProps(`settings.${name}`)} />)}
        <TextInput label="Prefix" description="Folder that files are put below" {...form.getInputProps('prefix')} />
      </SimpleGrid>
      {kind === 'sftp' && <Textarea label={SECRETS[kind]} description="A private key in OpenSSH's format, without a passphrase" autosize minRows={2} maxRows={6} autoComplete="off" spellCheck={false} {...form.getInputProps('secret')} />}
      {kind !== 'sftp' && SECRETS[kind] && <PasswordInput label={SECRETS[kind]} autoComplete="new-password" {...form.getInputProps('secret')} />}
    </FormDialog>
  );
}
