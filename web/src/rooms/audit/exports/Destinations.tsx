import { Alert, Anchor, Button, Group, PasswordInput, Select, SimpleGrid, Text, TextInput } from '@mantine/core';
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
import { createDestination, destinationsQuery, removeDestination, testDestination, useChange, type Destination } from './queries';

const KINDS = [
  { value: 's3', label: 'Amazon S3' },
  { value: 'azure_blob', label: 'Azure Blob Storage' },
  { value: 'gcs', label: 'Google Cloud Storage' },
  { value: 'folder', label: 'Folder on this server' },
];
/** Fields of each kind beside name, prefix and secret. */
const FIELDS: Record<string, [string, string][]> = {
  s3: [['bucket', 'Bucket'], ['region', 'Region'], ['endpoint', 'Endpoint'], ['access_key_id', 'Access key']],
  azure_blob: [['account', 'Storage account'], ['container', 'Container'], ['endpoint', 'Endpoint']],
  gcs: [['bucket', 'Bucket'], ['endpoint', 'Endpoint']],
  folder: [],
};
const SECRETS: Record<string, string> = { s3: 'Secret access key', azure_blob: 'Account key or SAS token', gcs: 'JSON key of a service account' };
const MARKED = ['name', 'type', 'prefix', 'bucket', 'region', 'endpoint', 'access_key_id', 'account', 'container', 'secret'];

/** Destinations that exports are carried to. */
export function Destinations() {
  const { data, error, refetch } = useQuery(destinationsQuery);
  const [adding, setAdding] = useState(false);
  const test = useChange(testDestination);
  const remove = useChange(removeDestination);
  const columns: Column<Destination>[] = [
    { id: 'name', header: 'Destination', lead: true, sortBy: (row) => row.name, cell: (row) => <Text size="sm" fw={550}>{row.name}</Text> },
    { id: 'kind', header: 'Type', cell: (row) => KINDS.find(({ value }) => value === row.type)?.label ?? row.type },
    { id: 'place', header: 'Place', cell: (row) => [row.settings.bucket ?? row.settings.container ?? row.settings.host, row.prefix].filter(Boolean).join('/') || 'Top folder' },
    {
      id: 'actions', header: '',
      cell: (row) => (
        <Group gap="md">
          <Anchor component="button" size="sm" aria-label={`Test ${row.name}`} onClick={() => test.mutate(row.id)}>Test</Anchor>
          <Anchor component="button" size="sm" aria-label={`Remove ${row.name}`} onClick={() => remove.mutate(row.id, { onSuccess: () => announce('Destination removed') })}>Remove</Anchor>
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
      <ProblemAlert error={test.error ?? remove.error} />
      {adding && <DestinationForm onClose={() => setAdding(false)} />}
    </Panel>
  );
}

function DestinationForm({ onClose }: { onClose: () => void }) {
  const create = useChange(createDestination);
  const form = useForm<Record<string, string>>({ initialValues: { name: '', type: 's3', prefix: '', secret: '' } });
  const kind = form.values.type ?? 's3';
  const fields = FIELDS[kind] ?? [];
  const submit = form.onSubmit((values) => {
    const settings = Object.fromEntries(fields.map(([name]) => [name, values[name]]).filter(([, value]) => value));
    const onSuccess = () => { announce('Destination added'); onClose(); };
    const sent = { name: values.name ?? '', type: kind, prefix: values.prefix ?? '', secret: values.secret ?? '', settings };
    create.mutate(sent, { onSuccess, onError: (error: Error) => form.setErrors(fieldMessages(error)) });
  });
  return (
    <FormDialog title="Add a destination" submit="Add destination" error={create.error} marked={MARKED} pending={create.isPending} onSubmit={submit} onClose={onClose}>
      <TextInput label="Name" withAsterisk maxLength={100} data-autofocus {...form.getInputProps('name')} />
      <Select label="Type" data={KINDS} allowDeselect={false} {...form.getInputProps('type')} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {fields.map(([name, label]) => <TextInput key={`${kind}-${name}`} label={label} autoComplete="off" {...form.getInputProps(name)} />)}
        <TextInput label="Prefix" description="Folder that files are put below" {...form.getInputProps('prefix')} />
      </SimpleGrid>
      {SECRETS[kind] && <PasswordInput label={SECRETS[kind]} autoComplete="new-password" {...form.getInputProps('secret')} />}
    </FormDialog>
  );
}
