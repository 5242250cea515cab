import { ActionIcon, Badge, Group, Menu, Text } from '@mantine/core';
import { IconBookmarkPlus, IconPencil, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { cloneElement } from 'react';
import type { SavedSearch } from '../../api/bodies';
import type { SearchFilters } from '../../addresses';
import { Hint } from '../../display/Hint';
import { useOpenedAtOnce, type OpenedProps } from '../../display/lazy';
import { ProblemAlert } from '../../display/ProblemAlert';
import { addressOf, savedQuery } from './saved';

const SHARED_WITH: Record<string, string> = { team: 'Teams', everyone: 'Everyone' };

interface Props extends OpenedProps {
  onOpen: (filters: SearchFilters) => void;
  onEdit: (saved: SavedSearch | 'new') => void;
  onRemove: (saved: SavedSearch) => void;
}

/** The saved searches to choose from. */
export function SavedMenu({ target, onOpen, onEdit, onRemove }: Props) {
  const saved = useQuery(savedQuery);
  const { opened, setOpened, button } = useOpenedAtOnce();
  const items = saved.data?.items ?? [];
  // The menu lies above dialogs: it must be gone before one opens.
  const choose = (act: () => void) => {
    setOpened(false);
    act();
  };
  return (
    <Menu
      position="bottom-end"
      width={340}
      withinPortal
      shadow="md"
      opened={opened}
      onChange={setOpened}
    >
      <Menu.Target>{cloneElement(target, { ref: button })}</Menu.Target>
      <Menu.Dropdown mah={420} style={{ overflowY: 'auto' }} maw="94vw">
        <Menu.Item leftSection={<IconBookmarkPlus size={16} />} onClick={() => onEdit('new')}>
          Save this search
        </Menu.Item>
        <Menu.Divider />
        {saved.error && <ProblemAlert error={saved.error} onRetry={() => void saved.refetch()} />}
        {saved.data && items.length === 0 && (
          <Text size="sm" className="muted" p="xs">
            None yet. A saved search keeps the query, the filters and the period; whoever opens it
            sees what they may see.
          </Text>
        )}
        {items.map((one) => (
          <Group key={one.id} gap={2} wrap="nowrap">
            <Menu.Item style={{ flex: 1, minWidth: 0 }} onClick={() => onOpen(addressOf(one))}>
              <Group gap={6} wrap="nowrap">
                <Text size="sm" truncate title={one.description || one.query}>
                  {one.name}
                </Text>
                {SHARED_WITH[one.shared_with] && (
                  <Badge size="xs" color="gray">
                    {SHARED_WITH[one.shared_with]}
                  </Badge>
                )}
              </Group>
              <Text size="xs" className="muted" truncate>
                {one.own ? one.query || 'Filters only' : `By ${one.owner_name}`}
              </Text>
            </Menu.Item>
            {one.own && (
              <Hint label="Rename or share">
                <ActionIcon
                  aria-label={`Change ${one.name}`}
                  onClick={() => choose(() => onEdit(one))}
                >
                  <IconPencil size={15} />
                </ActionIcon>
              </Hint>
            )}
            {one.own && (
              <Hint label="Remove">
                <ActionIcon
                  aria-label={`Remove ${one.name}`}
                  onClick={() => choose(() => onRemove(one))}
                >
                  <IconTrash size={15} />
                </ActionIcon>
              </Hint>
            )}
          </Group>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
