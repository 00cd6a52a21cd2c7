DOOR = []
