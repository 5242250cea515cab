import { Alert, Anchor, Button, Group, Select, SimpleGrid, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlus, IconRefresh, IconSettings } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { BillSource } from '../../api/bodies';
import { fieldMessages } from '../../api/problem';
import { useMay } from '../../api/session';
import { announce } from '../../display/announce';
import { count, plural } from '../../display/amounts';
import { Facts } from '../../display/Facts';
import { FormDialog } from '../../display/FormDialog';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Remove } from '../../display/Remove';
import { Status } from '../../display/Status';
import { When } from '../../display/When';
import { addBillSource, billSourcesQuery, changeBillSource, removeBillSource, syncBillSource } from './bill-sources';
import { connectionsQuery, useChange } from './queries';

/** Buckets that the cloud exports its bills to, as FOCUS files. */
export function BillSources() {
  const may = useMay();
  const { data, error, refetch } = useQuery(billSourcesQuery);
  const [editing, setEditing] = useState<BillSource | 'new' | null>(null);
  return (
    <Stack gap="md" mt="xl">
      <Group justify="space-between">
        <div>
          <Title order={2}>Bills from S3</Title>
          <Text size="sm" className="muted">FOCUS exports (CSV or Parquet), for savings at the prices that you pay.</Text>
        </div>
        {may('estate.manage') && <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setEditing('new')}>Add bucket</Button>}
      </Group>
      {error && !data && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {data?.items.length === 0 && <Text size="sm" className="muted">No bucket is read. Savings are computed at list prices.</Text>}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        {data?.items.map((source) => <SourceCard key={source.id} source={source} onChange={() => setEditing(source)} />)}
      </SimpleGrid>
      {editing && <BillSourceForm source={editing === 'new' ? undefined : editing} onClose={() => setEditing(null)} />}
    </Stack>
  );
}

function SourceCard({ source, onChange }: { source: BillSource; onChange: () => void }) {
  const may = useMay();
  const sync = useChange(syncBillSource);
  const last = source.last_sync;
  const failing = (last?.problems.length ?? 0) > 0;
  const status = !source.enabled ? 'disabled' : failing ? 'failed' : last ? 'ready' : 'new';
  return (
    <Panel title={source.name} note={`s3://${source.bucket}/${source.prefix}`} actions={<Status of={status} size="lg" />}>
      <Stack gap="md">
        <Facts
          of={[
            ['Region', source.region],
            ['Last read', last && <When key="read" at={last.finished_at} form="ago" />],
            ['Bills', last && `${plural(last.bills, 'file', 'files')}, ${count(last.read)} new or restated, ${count(last.dropped)} removed`],
            ['Newest bill', last?.newest_at && <When key="newest" at={last.newest_at} form="ago" />],
          ]}
        />
        {failing && <Alert color="orange" variant="light" title={last?.denied ? 'Permission denied' : 'The last read had problems'}>{last?.problems.map((text) => <Text size="sm" key={text}>{text}</Text>)}</Alert>}
        <ProblemAlert error={sync.error} />
        {may('estate.manage') && (
          <Group gap="xs">
            <Button variant="light" leftSection={<IconRefresh size={16} />} loading={sync.isPending} onClick={() => sync.mutate(source.id, { onSuccess: () => announce('Reading started.') })}>Read now</Button>
            <Button variant="default" leftSection={<IconSettings size={16} />} onClick={onChange}>Change</Button>
          </Group>
        )}
      </Stack>
    </Panel>
  );
}

function BillSourceForm({ source, onClose }: { source?: BillSource; onClose: () => void }) {
  const add = useChange(addBillSource);
  const patch = useChange(changeBillSource);
  const change = source ? patch : add;
  const connections = useQuery(connectionsQuery);
  const aws = (connections.data?.items ?? []).filter(({ provider, credentials_kind }) => provider === 'aws' && credentials_kind !== 'simulated');
  const form = useForm({
    initialValues: {
      name: source?.name ?? '', connection_id: source?.connection_id ?? '', bucket: source?.bucket ?? '', prefix: source?.prefix ?? '', region: source?.region ?? '',
      enabled: source?.enabled ?? true,
    },
    validate: {
      name: (value) => (value.trim() === '' ? 'Enter a name' : null),
      connection_id: (value) => (value ? null : 'Choose a connection'),
      bucket: (value) => (value.trim() === '' ? 'Enter the name of the bucket' : null),
    },
  });
  const submit = form.onSubmit(({ enabled, ...values }) => {
    const given = { ...values, name: values.name.trim(), bucket: values.bucket.trim(), region: values.region.trim() || undefined };
    const done = {
      onSuccess: () => { announce(source ? 'Bill source changed.' : 'Bill source added.'); onClose(); },
      onError: (error: Error) => form.setErrors(fieldMessages(error)),
    };
    if (source) patch.mutate({ id: source.id, version: source.version, enabled, ...given }, done);
    else add.mutate(given, done);
  });
  return (
    <FormDialog
      title={source ? `Change ${source.name}` : 'Add a bucket with bills'} size="lg" submit={source ? 'Save' : 'Add bucket'}
      error={change.error} marked={['name', 'connection_id', 'bucket', 'prefix', 'region']} pending={change.isPending} onSubmit={submit} onClose={onClose}
      aside={source && <Remove what={source.name} room="estate" explain="Removes the bills that were read from it. The bucket stays as it is." remove={() => removeBillSource(source.id)} onRemoved={onClose} />}
    >
      {connections.data && aws.length === 0 && (
        <Alert color="yellow" variant="light" title="No AWS connection with credentials yet">
          A bucket is read with the credentials of a connection. <Anchor inherit renderRoot={(props) => <Link to="/estate/connections/aws" {...props} />}>Connect an AWS account</Anchor> first, or put
          FOCUS files into the folder charges/ of the data directory.
        </Alert>
      )}
      <TextInput label="Name" placeholder="FOCUS export" required data-autofocus {...form.getInputProps('name')} />
      <Select label="Connection" description="Its credentials need s3:ListBucket and s3:GetObject on the bucket" data={aws.map(({ id, name }) => ({ value: id, label: name }))} withAsterisk allowDeselect={false} {...form.getInputProps('connection_id')} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput label="Bucket" placeholder="acme-billing" withAsterisk {...form.getInputProps('bucket')} />
        <TextInput label="Region" placeholder="The connection's first" {...form.getInputProps('region')} />
      </SimpleGrid>
      <TextInput label="Prefix" placeholder="exports/focus/" description="Only objects whose names begin so" {...form.getInputProps('prefix')} />
      {source && <Switch label="Switched on" {...form.getInputProps('enabled', { type: 'checkbox' })} />}
    </FormDialog>
  );
}
