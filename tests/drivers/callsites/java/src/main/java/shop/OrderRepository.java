package shop;

import java.util.List;
import org.springframework.data.mongodb.repository.MongoRepository;
import org.springframework.data.mongodb.repository.Query;
import org.springframework.data.mongodb.repository.Update;

interface OrderRepository extends MongoRepository<Order, Integer> {
  List<Order> findByStatus(String status);

  long countByAmountGreaterThan(int amount);

  Order findByCustomer(int customer);

  @Query("{color: ?0}")
  @Update("{$set: {color: 'blue'}}")
  int repaint(String color);
}
